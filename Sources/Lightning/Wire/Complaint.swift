import Ground

/// BOLT 1 `error` and `warning`: text about one channel, or about all (channel zero).
public struct Complaint: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var data: Bytes

  public init(channel: Bytes32 = .zero, data: Bytes) {
    self.channel = channel
    self.data = data
  }

  public init(channel: Bytes32 = .zero, text: String) {
    self.init(channel: channel, data: Bytes(Array(text.utf8)))
  }

  /// The data as text: anything that is not printable ASCII becomes a dot, as it goes to terminals and logs.
  public var text: String {
    String(decoding: data.array.map { (32...126).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    data = try reader.counted()
    _ = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.counted(data)
  }
}
