/// BOLT 1 `ping`: asks for a `pong` of a given length.
public struct Ping: Hashable, Codable, Sendable {
  /// From this number on no `pong` is sent.
  public static let noAnswerFrom: UInt16 = 65532

  public var pongSize: UInt16
  public var ignored: Bytes

  public init(pongSize: UInt16, ignored: Bytes = []) {
    self.pongSize = pongSize
    self.ignored = ignored
  }

  /// The `pong`; nil if none is due.
  public var answer: Message? {
    pongSize < Ping.noAnswerFrom ? .pong(Bytes(repeating: 0, count: Int(pongSize))) : nil
  }

  init(reader: inout WireReader) throws(WireError) {
    pongSize = try reader.u16()
    ignored = try reader.counted()
    _ = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.u16(pongSize)
    writer.counted(ignored)
  }
}
