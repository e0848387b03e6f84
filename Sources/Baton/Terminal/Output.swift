import DaemonRuntime
import Glibc
import PhonePolicy

/// A verb's output: text or JSON.
package struct Output: Sendable {
  package enum Colour: String, Sendable, CaseIterable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"
    /// Of the 256 colours; the eight have none.
    case orange = "38;5;208"
  }

  package let isJSON: Bool
  package let usesColour: Bool

  /// Colours only on a terminal and without NO_COLOR (no-color.org).
  package init(isJSON: Bool) {
    self.isJSON = isJSON
    let refused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
    usesColour = !isJSON && !refused && !isDumb && isatty(standardOutput) == 1
  }

  package init(isJSON: Bool, usesColour: Bool) {
    self.isJSON = isJSON
    self.usesColour = usesColour
  }

  package func paint(_ text: String, _ colour: Colour) -> String {
    usesColour ? "\(Self.start(of: colour))\(text.onOneLine)\(Self.endOfColour)" : text
  }

  /// Prints a line; a leading newline gives an empty line before it.
  package func say(_ line: String) { StandardOutput.write("\(shown(line))\n") }

  /// Prints a JSON document on one line.
  package func say(_ report: some Report) { StandardOutput.write("\(report.json)\n") }

  /// Prints a journal record unchanged.
  package func sayAsItIs(_ line: String) { StandardOutput.write("\(line)\n") }

  /// Prints a remark during a wait; with --json on stderr.
  package func remark(_ line: String) {
    guard isJSON else { return say(line) }
    writeAll(standardError, Array("baton: \(line.onOneLine)\n".utf8))
  }

  /// Prints the sentence, or the report with --json.
  package func say<R: Report>(_ line: @autoclosure () -> String, json: @autoclosure () -> R) {
    if isJSON { say(json()) } else { say(line()) }
  }

  // MARK: Safe text

  private static let endOfColour = "\u{1b}[0m"
  private static func start(of colour: Colour) -> String { "\u{1b}[\(colour.rawValue)m" }
  private static let colours = [endOfColour] + Colour.allCases.map(start)

  /// All text passes here: lines may quote file names and foreign text, so characters that move the cursor or change
  /// the reading direction become dots. Our own colours are kept.
  package func shown(_ line: String) -> String {
    if line.hasPrefix("\n") { return "\n\(shown(String(line.dropFirst())))" }
    guard usesColour, line.utf8.contains(0x1b) else { return line.onOneLine }
    var clean = ""
    var rest = Substring(line)
    while let escape = rest.unicodeScalars.firstIndex(of: "\u{1b}") {
      clean += String(rest[..<escape]).onOneLine
      let after = rest[escape...]
      let colour = Self.colours.first { after.unicodeScalars.starts(with: $0.unicodeScalars) }
      clean += colour ?? "."
      rest = Substring(after.unicodeScalars.dropFirst(colour?.unicodeScalars.count ?? 1))
    }
    return clean + String(rest).onOneLine
  }

  /// Prints rows in columns as wide as their widest cell, except the last.
  package func table(_ rows: [[String]]) {
    for (number, line) in Self.lines(of: rows).enumerated() { say(number == 0 ? paint(line, .bold) : line) }
  }

  /// One line per row, also if a cell has newlines: cells may quote foreign text.
  package static func lines(of raw: [[String]]) -> [String] {
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

  /// Prints `name   value` lines.
  package func facts(_ rows: [(String, String)]) {
    let width = rows.map(\.0.count).max() ?? 0
    for (name, value) in rows {
      say("\(paint(name, .dim))\(String(repeating: " ", count: width - name.count))  \(value.onOneLine)")
    }
  }
}

/// All output of verbs to stdout: a failed write is remembered, so that a truncated output gives an error.
package enum StandardOutput {
  private static let trouble = Locked<Int32?>(nil)

  /// False once a write has failed: text after a gap would be misread.
  @discardableResult package static func write(_ text: String) -> Bool {
    trouble.withLock { trouble in
      if trouble != nil { return false }
      if writeAll(standardOutput, Array(text.utf8)) { return true }
      trouble = errno
      return false
    }
  }

  package static var hasFailed: Bool { trouble.withLock { $0 != nil } }

  /// The exit code after all output. A failed write turns success into an error, except if the reader is gone
  /// (`| head`).
  package static func end(_ code: ExitCode) -> ExitCode {
    guard let trouble = trouble.withLock({ $0 }), trouble != EPIPE else { return code }
    let sentence = SystemError("write to standard output", code: trouble).description
    writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
    return code == .done ? .inputOutputError : code
  }
}
