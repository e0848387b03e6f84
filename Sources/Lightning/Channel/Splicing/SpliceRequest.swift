/// The amount and the script of a withdrawal.
public struct SpliceRequest: Hashable, Codable, Sendable {
  public var amountSat: UInt64
  public var script: OutputScript

  public init(amountSat: UInt64, script: OutputScript) {
    self.amountSat = amountSat
    self.script = script
  }

  /// Fixed, as there is no chain: a low but realistic rate.
  static let feeratePerKw: UInt32 = 1000

  /// Paid by the initiator on top of the amount. The funding script's length does not depend on the keys.
  public var feeSat: UInt64 {
    let funding = FundingScript.output(.zeros, .zeros)
    return TransactionWeight.fee(
      TransactionWeight.splice(paying: [funding, script]), perKw: Self.feeratePerKw)
  }
}
