import DaemonRuntime
import Glibc

/// How a verb speaks: text for people, or JSON.
struct Output: Sendable {
  enum Colour: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"
  }

  let isJSON: Bool
  let usesColour: Bool

  /// Colours are for terminals, and only where nobody asked for none (no-color.org).
  init(isJSON: Bool) {
    self.isJSON = isJSON
    let refused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
    usesColour = !isJSON && !refused && !isDumb && isatty(standardOutput) == 1
  }

  init(isJSON: Bool, usesColour: Bool) {
    self.isJSON = isJSON
    self.usesColour = usesColour
  }

  func paint(_ text: String, _ colour: Colour) -> String {
    usesColour ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
  }

  /// A line for people, or a document of JSON.
  func say(_ line: String) { StandardOutput.write("\(isJSON ? ExactNumbers.quoted(line) : line)\n") }

  /// A record of a journal, byte for byte as it stands there.
  func sayAsItIs(_ line: String) { StandardOutput.write("\(line)\n") }

  /// A word meanwhile, for the person who waits; what reads JSON is not to meet it.
  func remark(_ line: String) {
    guard isJSON else { return say(line) }
    writeAll(standardError, Array("baton: \(line)\n".utf8))
  }

  /// One sentence in the words of people, or the object in JSON.
  func say(_ line: @autoclosure () -> String, json: @autoclosure () -> JSONObject) {
    say(isJSON ? json().text : line())
  }

  /// Columns as wide as their widest cell; the last one is left as it is.
  func table(_ rows: [[String]]) {
    for (number, line) in Self.lines(of: rows).enumerated() { say(number == 0 ? paint(line, .bold) : line) }
  }

  /// One line for each row, whatever stands in the cells: some of it are other people's words.
  static func lines(of raw: [[String]]) -> [String] {
    let rows = raw.map { $0.map(\.onOneLine) }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  /// `name   value` lines.
  func facts(_ rows: [(String, String)]) {
    let width = rows.map(\.0.count).max() ?? 0
    for (name, value) in rows {
      say("\(paint(name, .dim))\(String(repeating: " ", count: width - name.count))  \(value.onOneLine)")
    }
  }
}
