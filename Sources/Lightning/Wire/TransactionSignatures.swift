import Ground

/// BOLT 2 `tx_signatures`: the other side can broadcast the transaction.
public struct TransactionSignatures: Hashable, Codable, Sendable {
  /// BOLT 2 `shared_input_signature`; even, so required.
  public static let sharedInputType: UInt64 = 0

  public var channel: Bytes32
  public var transaction: TransactionID
  /// The witnesses of the sender's own inputs in order, each in Bitcoin's encoding.
  public var witnesses: [Bytes]
  /// The sender's signature for the input that spends the channel's funding.
  public var sharedInputSignature: Signature?
  public var extensions: RecordStream

  public init(
    channel: Bytes32, transaction: TransactionID, witnesses: [Bytes] = [],
    sharedInputSignature: Signature? = nil,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.transaction = transaction
    self.witnesses = witnesses
    self.sharedInputSignature = sharedInputSignature
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    transaction = TransactionID(hash: try reader.bytes32())
    let count = Int(try reader.u16())
    // Checked before the loop, so that a wrong count costs no memory.
    guard count * 2 <= reader.remaining else { throw .truncated }
    witnesses = []
    for _ in 0..<count { witnesses.append(try reader.counted()) }
    extensions = try reader.records(knowing: [TransactionSignatures.sharedInputType])
    if let record = extensions.take(TransactionSignatures.sharedInputType) {
      guard let signature = Signature(record.array) else {
        throw .malformedRecord(TransactionSignatures.sharedInputType)
      }
      sharedInputSignature = signature
    }
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.put(transaction.hash)
    let written = witnesses.prefix(Int(UInt16.max))
    writer.u16(UInt16(written.count))
    for witness in written { writer.counted(witness) }
    writer.records(extensions.with(TransactionSignatures.sharedInputType, sharedInputSignature?.bytes))
  }
}
