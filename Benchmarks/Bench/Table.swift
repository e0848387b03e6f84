import JSON
import DaemonRuntime

/// All lines, for people and for programs.
struct Table {
  static let heads = ["what", "rounds", "median", "p99", "floor in C", "ratio", "aim"]
  var rows: [Row]

  private func cells(_ row: Row) -> [String] {
    [
      row.name, "\(row.samples.count)", row.text(row.samples.median), row.text(row.samples.p99),
      row.floor.map { row.text($0.median) } ?? "–", row.ratio.map { "\(decimal($0, places: 2))×" } ?? "–",
      row.aims.map { row.text($0) }.joined(separator: ", "),
    ]
  }

  /// A Markdown table that is also pleasant to read as it is.
  var text: String {
    let lines = [Self.heads] + rows.map(cells)
    let widths = Self.heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "| \(padded.joined(separator: " | ")) |"
    }
    let rule = "|\(widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|"))|"
    return ([line(lines[0]), rule] + lines.dropFirst().map(line)).joined(separator: "\n")
  }

  var json: String {
    let objects = rows.map { row in
      var object = JSONObject()
      object.set("what", row.name)
      object.set("unit", row.unit == .time ? "nanoseconds" : "kilobytes")
      object.set("rounds", row.samples.count)
      object.set("median", row.samples.median)
      object.set("p99", row.samples.p99)
      object.set("floor_median", ifPresent: row.floor?.median)
      object.set("ratio", ifPresent: row.ratio.map { decimal($0, places: 2) })
      object.set("aims", row.aims.map { row.text($0) })
      return object.text
    }
    return "[\(objects.joined(separator: ","))]"
  }
}
