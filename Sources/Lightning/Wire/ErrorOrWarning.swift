import Ground

/// BOLT 1 `error` and `warning`: text about one channel, or about all (channel zero).
public struct ErrorOrWarning: Hashable, Codable, Sendable {
  /// The reason, where a program needs it: a private odd record.
  public enum Code: UInt8, Hashable, Codable, Sendable {
    /// The LSP's time limit for a quiescent channel is over.
    case quiescenceTimeout = 1
  }

  public static let codeRecord: UInt64 = 0xba70_0009

  public var channel: Bytes32
  public var data: Bytes
  public var code: Code?

  public init(channel: Bytes32 = .zero, data: Bytes, code: Code? = nil) {
    self.channel = channel
    self.data = data
    self.code = code
  }

  public init(channel: Bytes32 = .zero, text: String, code: Code? = nil) {
    self.init(channel: channel, data: Bytes(Array(text.utf8)), code: code)
  }

  /// The data as text for terminals and logs: each byte that is not printable ASCII becomes a dot.
  public var text: String {
    String(decoding: data.array.map { (32...126).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    data = try reader.counted()
    let value = try reader.records()[Self.codeRecord]
    // An unknown code of a later version is ignored.
    if let value, value.count == 1 { code = Code(rawValue: value.array[0]) }
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.counted(data)
    if let code { writer.records(RecordStream().with(Self.codeRecord, [code.rawValue])) }
  }
}
