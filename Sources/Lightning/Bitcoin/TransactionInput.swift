/// An input of a transaction.
public struct TransactionInput: Hashable, Codable, Sendable {
  public var outPoint: OutPoint
  /// Empty for native SegWit.
  public var script: Bytes
  public var sequence: UInt32
  public var witness: [Bytes]

  /// The highest sequence that signals replaceability (BIP 125).
  public static let replaceable: UInt32 = 0xffff_fffd

  public init(
    outPoint: OutPoint, script: Bytes = [], sequence: UInt32 = TransactionInput.replaceable,
    witness: [Bytes] = []
  ) {
    self.outPoint = outPoint
    self.script = script
    self.sequence = sequence
    self.witness = witness
  }

  /// The smallest encoding.
  static let smallestSize = 32 + 4 + 1 + 4

  init(reader: inout TransactionReader) throws(TransactionError) {
    outPoint = OutPoint(transaction: try reader.transactionID(), index: try reader.u32())
    script = try reader.counted()
    sequence = try reader.u32()
    witness = []
  }

  mutating func readWitness(_ reader: inout TransactionReader) throws(TransactionError) {
    for _ in 0..<(try reader.count(ofSize: 1)) { witness.append(try reader.counted()) }
  }

  func write(to writer: inout TransactionWriter) {
    writer.put(outPoint.transaction.hash.bytes)
    writer.number(UInt64(outPoint.index), 4)
    writer.counted(script)
    writer.number(UInt64(sequence), 4)
  }

  func writeWitness(to writer: inout TransactionWriter) {
    writer.compactSize(witness.count)
    for element in witness { writer.counted(element) }
  }
}
