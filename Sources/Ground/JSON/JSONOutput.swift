/// The JSON text of a value while it is encoded. A class: `Codable` containers are never closed, so each writes to its
/// own depth, and what is open below that depth ends then.
final class JSONOutput {
  private struct Container {
    var end: UInt8
    var count = 0
    /// Of the newest member.
    var key: (any CodingKey)?
  }

  private(set) var bytes: [UInt8] = []
  private var open: [Container] = []
  /// A value is due: its member's name is written, or it is the whole text.
  private var isDue = true

  /// The members from the whole to the value that is due.
  var path: [any CodingKey] { open.compactMap(\.key) }

  func count(atDepth depth: Int) -> Int { open.count >= depth ? open[depth - 1].count : 0 }

  func member(_ key: any CodingKey, _ name: String, atDepth depth: Int) {
    begin(atDepth: depth)
    open[depth - 1].key = key
    JSONText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  func element(atDepth depth: Int) { begin(atDepth: depth) }

  private func begin(atDepth depth: Int) {
    close(toDepth: depth)
    precondition(open.count == depth, "a container is written to after its end")
    if open[depth - 1].count > 0 { bytes.append(UInt8(ascii: ",")) }
    open[depth - 1].count += 1
    isDue = true
  }

  /// The value that is due: a number, a boolean or null.
  func raw(_ text: String) {
    take()
    bytes += text.utf8
  }

  func string(_ text: String) {
    take()
    JSONText.append(text, to: &bytes)
  }

  private func take() {
    precondition(isDue, "a value is encoded twice")
    isDue = false
  }

  /// Opens the container of the value at this depth, or goes on with it.
  func container(_ begin: UInt8, _ end: UInt8, atDepth depth: Int) {
    if isDue, open.count == depth {
      take()
      bytes.append(begin)
      open.append(Container(end: end))
    } else {
      precondition(open.count > depth && open[depth].end == end, "a container is opened after its end")
    }
  }

  /// A type that encodes nothing is an empty object, as in Foundation.
  func close(toDepth depth: Int = 0) {
    if isDue { bytes += "{}".utf8 }
    isDue = false
    while open.count > depth { bytes.append(open.removeLast().end) }
  }
}

/// JSON string literals.
public enum JSONText {
  public static func quoted(_ string: String) -> String {
    var bytes: [UInt8] = []
    append(string, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let digits = Array("0123456789abcdef".utf8)

  /// Journaling is on the path of a payment, so a line is built once, as bytes.
  static func append(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { text in
      var start = 0
      for (place, byte) in text.enumerated() where isEscaped(byte) {
        bytes += text[start..<place]
        appendEscaped(byte, to: &bytes)
        start = place + 1
      }
      bytes += text[start...]
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): bytes += "\\\"".utf8
    case UInt8(ascii: "\\"): bytes += "\\\\".utf8
    case 0x0a: bytes += "\\n".utf8
    case 0x0d: bytes += "\\r".utf8
    case 0x09: bytes += "\\t".utf8
    default:
      bytes += "\\u00".utf8
      bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
}
