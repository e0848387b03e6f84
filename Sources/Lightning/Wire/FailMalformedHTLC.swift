import Ground

/// BOLT 2 `update_fail_malformed_htlc`: the receiver could not read the onion, so it has no key to encrypt a reason.
/// The sender of the HTLC gets the unencrypted code.
public struct FailMalformedHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  /// The hash of the received onion; zeros if omitted.
  public var onionHash: Bytes32
  public var code: UInt16
  public var extensions: RecordStream

  public init(
    channel: Bytes32, id: UInt64, onionHash: Bytes32 = .zero, code: UInt16,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.id = id
    self.onionHash = onionHash
    self.code = code
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    onionHash = try reader.bytes32()
    code = try reader.u16()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.put(onionHash)
    writer.u16(code)
    writer.records(extensions)
  }
}
