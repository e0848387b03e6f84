import Ground

/// BOLT 2 `splice_locked`: the sender has seen enough confirmations of the new funding.
public struct SpliceLocked: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var transaction: TransactionID
  public var extensions: RecordStream

  public init(channel: Bytes32, transaction: TransactionID, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.transaction = transaction
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    transaction = TransactionID(hash: try reader.bytes32())
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.put(transaction.hash)
    writer.records(extensions)
  }
}
