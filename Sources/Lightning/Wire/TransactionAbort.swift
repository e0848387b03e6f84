import Ground

/// BOLT 2 `tx_abort`: ends the negotiation of a transaction; the channel stays as it was.
public struct TransactionAbort: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var data: Bytes
  public var extensions: RecordStream

  public init(channel: Bytes32, data: Bytes = [], extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.data = data
    self.extensions = extensions
  }

  public init(channel: Bytes32, text: String) { self.init(channel: channel, data: Bytes(Array(text.utf8))) }

  /// Safe to print, like that of an error.
  public var text: String { ErrorOrWarning(data: data).text }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    data = try reader.counted()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.counted(data)
    writer.records(extensions)
  }
}
