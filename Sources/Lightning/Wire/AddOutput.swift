import Ground

/// BOLT 2 `tx_add_output`: adds an output to the negotiated transaction.
public struct AddOutput: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// Even from the initiator, odd from the other side; outputs are sorted by it.
  public var serial: UInt64
  public var satoshis: UInt64
  public var script: Bytes
  public var extensions: RecordStream

  public init(
    channel: Bytes32, serial: UInt64, satoshis: UInt64, script: Bytes,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.serial = serial
    self.satoshis = satoshis
    self.script = script
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    serial = try reader.u64()
    satoshis = try reader.u64()
    script = try reader.counted()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(serial)
    writer.u64(satoshis)
    writer.counted(script)
    writer.records(extensions)
  }
}
