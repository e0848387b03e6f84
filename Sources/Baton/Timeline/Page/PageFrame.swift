import Crypto
import Ground

/// The frame of a page in one file: styles, data and script inside, nothing loaded. The page's policy allows this script
/// and this style by their hashes and nothing else, so text from a run cannot become code.
package struct PageFrame {
  /// JSON that the script finds by its id.
  package struct Element: Hashable, Sendable {
    package var id: String
    package var json: String
  }

  package var title: String
  package var styles: [[UInt8]]
  package var body: [UInt8]
  /// The script finds these at once, and the late ones when the page is whole.
  package var early: [Element] = []
  package var script: [UInt8] = []
  package var late: [Element] = []
  /// The page may ask the server that it came from, and nobody else.
  var asksItsServer = false

  package init(
    title: String, styles: [[UInt8]], body: [UInt8], early: [Element] = [], script: [UInt8] = [],
    late: [Element] = [], asksItsServer: Bool = false
  ) {
    (self.title, self.styles, self.body) = (title, styles, body)
    (self.early, self.script, self.late) = (early, script, late)
    self.asksItsServer = asksItsServer
  }

  package var html: String {
    let style = styles.map { String(decoding: $0, as: UTF8.self) }.joined()
    let code = String(decoding: script, as: UTF8.self)
    let policy =
      "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src '\(Self.hash(style))'"
      + (code.isEmpty ? "" : "; script-src '\(Self.hash(code))'")
      + (asksItsServer ? "; connect-src 'self'" : "")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">\(asksItsServer ? "\n<link rel=\"icon\" href=\"data:,\">" : "")
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <title>\(Self.escaped(title))</title>
      <style>\(style)</style>
      <body>
      \(String(decoding: body, as: UTF8.self))
      \(early.map(Self.element).joined())\(code.isEmpty ? "" : "<script>\(code)</script>\n")\(late.map(Self.element).joined())</body>
      </html>

      """
  }

  /// A `<` could end the element, or begin a comment in it.
  private static func element(_ one: Element) -> String {
    "<script type=\"application/json\" id=\"\(one.id)\">\(inElement(one.json))</script>\n"
  }

  static func inElement(_ json: String) -> String {
    guard json.utf8.contains(UInt8(ascii: "<")) else { return json }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.utf8.count)
    for byte in json.utf8 {
      if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Text as text in HTML and SVG, also between quotation marks.
  package static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // XML has no other control characters.
      case 0..<0x20 where byte != 9 && byte != 10 && byte != 13: bytes += "\u{fffd}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hash(_ text: String) -> String {
    "sha256-\(Base64.text(SHA256.hash(Array(text.utf8)).bytes))"
  }
}

/// Base64 of RFC 4648, as a page's policy writes hashes.
enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let piece = bytes[start..<min(start + 3, bytes.count)]
      let number = piece.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - piece.count))
      for place in 0..<4 {
        text.append(place > piece.count ? UInt8(ascii: "=") : letters[number >> (18 - 6 * place) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
