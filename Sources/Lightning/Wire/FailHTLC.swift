import Ground

/// BOLT 2 `update_fail_htlc`: fails an HTLC. There are no onions here: the reason is the two-byte failure code of
/// BOLT 4, not an encrypted packet.
public struct FailHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  public var reason: Bytes
  public var extensions: RecordStream

  public init(channel: Bytes32, id: UInt64, reason: Bytes, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.id = id
    self.reason = reason
    self.extensions = extensions
  }

  public init(channel: Bytes32, id: UInt64, code: UInt16) {
    self.init(channel: channel, id: id, reason: Bytes([UInt8(code >> 8), UInt8(code & 0xff)]))
  }

  /// Nil unless the reason is the bare code.
  public var code: UInt16? {
    reason.count == 2 ? UInt16(reason.array[0]) << 8 | UInt16(reason.array[1]) : nil
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    reason = try reader.counted()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.counted(reason)
    writer.records(extensions)
  }
}
