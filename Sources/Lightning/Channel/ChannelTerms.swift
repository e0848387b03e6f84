/// The initial balances, which both ends are configured with: opening a channel is not implemented.
public struct ChannelTerms: Hashable, Codable, Sendable {
  public var walletMsat: UInt64
  public var providerMsat: UInt64

  /// One million satoshi on the wallet's side, nine million that it can receive.
  public static let standard = ChannelTerms(walletMsat: 1_000_000_000, providerMsat: 9_000_000_000)
}
