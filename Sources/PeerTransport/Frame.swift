/// How one message lies on the wire: its length in two bytes, the higher first, then the message.
enum Frame {
  /// Nil for a message that the length cannot say.
  static func encode(_ message: [UInt8]) -> [UInt8]? {
    guard message.count <= Int(UInt16.max) else { return nil }
    return [UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
  }
}

/// Cuts a stream of bytes into messages, however the network cut them into pieces.
struct FrameReader {
  private var bytes: [UInt8] = []
  private var start = 0

  mutating func append(_ more: ArraySlice<UInt8>) {
    // What was taken is dropped here and not with every frame, so that many small frames cost no copying.
    bytes.removeFirst(start)
    start = 0
    bytes += more
  }

  /// Whether a message has begun that has not ended, or a whole one waits.
  var isInside: Bool { bytes.count > start }

  var hasWhole: Bool {
    bytes.count - start >= 2 && bytes.count - start - 2 >= Int(bytes[start]) << 8 | Int(bytes[start + 1])
  }

  /// The next whole message; nil until more bytes come.
  mutating func next() -> [UInt8]? {
    guard hasWhole else { return nil }
    let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
    defer { start += 2 + length }
    return Array(bytes[(start + 2)..<(start + 2 + length)])
  }
}
