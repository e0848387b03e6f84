import Platform

/// A database's schema, laid out with a column or a constraint on each line.
enum SchemaText {
  static func of(_ path: String) throws -> String {
    let database = try Connection(path: path, access: .readOnly)
    let version = try database.firstRow("PRAGMA user_version")?.integer(0) ?? -1
    // In the order of the migration steps.
    let statements = try database.rows(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"
    )
    let laidOut = try statements.map { layOut(try $0.text(0)) }
    return (["PRAGMA user_version = \(version);"] + laidOut).joined(separator: "\n\n") + "\n"
  }

  static func layOut(_ statement: String) -> String {
    let words = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard words.hasPrefix("CREATE TABLE"), let open = words.firstIndex(of: "("),
      let close = words.lastIndex(of: ")")
    else { return words + ";" }
    let head = words[..<open].trimmingSpaces
    let columns = parts(words[words.index(after: open)..<close])
    let tail = words[words.index(after: close)...].trimmingSpaces
    return "\(head) (\n  \(columns.joined(separator: ",\n  "))\n)\(tail.isEmpty ? "" : " \(tail)");"
  }

  /// The text between commas outside nested brackets.
  private static func parts(_ text: Substring) -> [String] {
    var parts: [String] = []
    var depth = 0
    var begin = text.startIndex
    for index in text.indices {
      switch text[index] {
      case "(": depth += 1
      case ")": depth -= 1
      case "," where depth == 0:
        parts.append(text[begin..<index].trimmingSpaces)
        begin = text.index(after: index)
      default: break
      }
    }
    return parts + [text[begin...].trimmingSpaces]
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String { split(separator: " ").joined(separator: " ") }
}
