import Bitcoin

/// What a user wants paid out of the channel.
public struct SpliceRequest: Hashable, Codable, Sendable {
  public var amountSat: UInt64
  public var script: OutputScript

  public init(amountSat: UInt64, script: OutputScript) {
    self.amountSat = amountSat
    self.script = script
  }

  /// There is no market of fees here: what a quiet chain asks for.
  static let feeratePerKw: UInt32 = 1000

  /// Paid by who takes the money out, beside it. The script of a funding has the same length for whichever keys.
  public var feeSat: UInt64 {
    let funding = FundingScript.output(.zeros, .zeros)
    return TransactionWeight.fee(
      TransactionWeight.splice(paying: [funding, script]), perKw: Self.feeratePerKw)
  }
}
