import Ground

/// BOLT 2 `tx_complete`: the sender has nothing to add. Sent by both in a row, it ends the negotiation.
public struct TransactionComplete: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var extensions: RecordStream

  public init(channel: Bytes32, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.records(extensions)
  }
}
