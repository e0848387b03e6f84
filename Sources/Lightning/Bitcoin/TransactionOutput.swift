/// An output of a transaction.
public struct TransactionOutput: Hashable, Codable, Sendable {
  /// 21 million bitcoin.
  public static let mostSatoshis: UInt64 = 2_100_000_000_000_000

  public var satoshis: UInt64
  public var script: OutputScript

  public init(satoshis: UInt64, script: OutputScript) {
    self.satoshis = satoshis
    self.script = script
  }

  /// The smallest encoding.
  static let smallestSize = 8 + 1

  init(reader: inout TransactionReader) throws(TransactionError) {
    satoshis = try reader.number(8)
    guard satoshis <= Self.mostSatoshis else { throw .tooMuchMoney }
    script = OutputScript(try reader.counted())
  }

  func write(to writer: inout TransactionWriter) {
    writer.number(satoshis, 8)
    writer.counted(script.bytes)
  }
}
