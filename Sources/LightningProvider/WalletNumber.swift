/// The number of a wallet in the LSP's ledger, in the order in which the wallets came.
public struct WalletNumber: Hashable, Comparable, Sendable {
  /// The wallet of the phone that the LSP was started with; without a phone, the first that came.
  public static let own = WalletNumber(1)

  public var value: Int64

  public init(_ value: Int64) { self.value = value }

  public static func < (left: WalletNumber, right: WalletNumber) -> Bool { left.value < right.value }
}
