import Ground

/// BOLT 2 `update_fulfill_htlc`: fulfills an HTLC with its preimage.
public struct FulfillHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  public var preimage: Bytes32
  public var extensions: RecordStream

  public init(
    channel: Bytes32, id: UInt64, preimage: Bytes32, extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.id = id
    self.preimage = preimage
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    preimage = try reader.bytes32()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.put(preimage)
    writer.records(extensions)
  }
}
