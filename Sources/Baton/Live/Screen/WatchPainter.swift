/// Writes a screen of lines to a terminal, and after that only the lines that have changed.
package struct WatchPainter: Sendable {
  /// The alternate screen keeps what was there before; a line that is too wide must not wrap.
  package static let enter = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J"
  package static let leave = "\u{1b}[?7h\u{1b}[?25h\u{1b}[0m\u{1b}[?1049l"

  private let output: Output
  /// Nil: unknown.
  private var shown: [WatchLine]?

  package init(output: Output) { self.output = output }

  /// What is on the terminal is unknown from now on.
  package mutating func forget() { shown = nil }

  /// The bytes that make the terminal show these lines; empty if it does already.
  package mutating func paint(_ lines: [WatchLine]) -> String {
    var text = shown == nil ? "\u{1b}[0m\u{1b}[2J" : ""
    for (row, line) in lines.enumerated() where shown.map({ row >= $0.count || $0[row] != line }) ?? true {
      // Cleared first: after a full line the cursor stands on its last cell.
      text += "\u{1b}[\(row + 1);1H\u{1b}[2K\(line.painted(by: output))"
    }
    shown = lines
    return text
  }
}
