/// A line of the screen: texts, each in a colour.
package struct WatchLine: Hashable, Sendable {
  package struct Part: Hashable, Sendable {
    var text: String
    var colour: Output.Colour?
  }

  package private(set) var parts: [Part] = []

  package init() {}
  init(_ text: String, _ colour: Output.Colour? = nil) { add(text, colour) }

  mutating func add(_ text: String, _ colour: Output.Colour? = nil) {
    if !text.isEmpty { parts.append(Part(text: text, colour: colour)) }
  }

  package var text: String { parts.map(\.text).joined() }

  private var withoutEnd: WatchLine {
    var line = self
    while let last = line.parts.last, last.text.last == " " {
      line.parts.removeLast()
      if let end = last.text.lastIndex(where: { $0 != " " }) {
        line.add(String(last.text[...end]), last.colour)
      }
    }
    return line
  }

  /// Not wider than the screen, without spaces at the end.
  func cut(to width: Int) -> WatchLine {
    let whole = withoutEnd
    var line = WatchLine()
    var left = width
    for (number, part) in whole.parts.enumerated() {
      // The ellipsis of the next part needs a cell.
      let room = number + 1 < whole.parts.count && part.text.count == left ? left - 1 : left
      let text = part.text.cut(to: room)
      line.add(text, part.colour)
      left -= text.count
      if text != part.text || left <= 0 { break }
    }
    return line
  }

  /// As bytes for a terminal; the text has no control characters.
  package func painted(by output: Output) -> String {
    parts.map { part in part.colour.map { output.paint(part.text, $0) } ?? output.shown(part.text) }.joined()
  }
}

/// Each character counts as one cell.
extension String {
  /// The text's beginning that fits, with an ellipsis if something is missing.
  func cut(to width: Int) -> String {
    count <= width ? self : width > 0 ? String(prefix(width - 1)) + "…" : ""
  }

  /// Cut, and filled with spaces, to exactly this width.
  func fit(to width: Int) -> String {
    let kept = cut(to: width)
    return kept + String(repeating: " ", count: max(0, width - kept.count))
  }
}
