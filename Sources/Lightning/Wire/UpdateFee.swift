import Ground

/// BOLT 2 `update_fee`: the opener sets a new feerate for the commitments.
public struct UpdateFee: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// In satoshis per 1000 weight units.
  public var feeratePerKw: UInt32
  public var extensions: RecordStream

  public init(channel: Bytes32, feeratePerKw: UInt32, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.feeratePerKw = feeratePerKw
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    feeratePerKw = try reader.u32()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u32(feeratePerKw)
    writer.records(extensions)
  }
}
