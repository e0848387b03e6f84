import Ground

/// BOLT 2 `stfu`: the sender sends no more updates while the channel is quiescent.
public struct Quiescence: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// False in an answer.
  public var isInitiator: Bool
  public var extensions: RecordStream

  public init(channel: Bytes32, isInitiator: Bool, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.isInitiator = isInitiator
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    let initiator = try reader.u8()
    guard initiator <= 1 else { throw .impossibleValue }
    isInitiator = initiator == 1
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u8(isInitiator ? 1 : 0)
    writer.records(extensions)
  }
}
