import DaemonRuntime
import Ground

/// All rows, as Markdown and as JSON.
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

  /// A Markdown table with aligned columns.
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

  private struct Line: Encodable {
    var what: String
    var unit: String
    var rounds: Int
    var median: Int
    var p99: Int
    var floorMedian: Int?
    var ratio: String?
    var aims: [String]

    init(_ row: Row) {
      what = row.name
      unit = row.unit == .time ? "nanoseconds" : "kilobytes"
      rounds = row.samples.count
      median = Int(row.samples.median)
      p99 = Int(row.samples.p99)
      floorMedian = row.floor.map { Int($0.median) }
      ratio = row.ratio.map { decimal($0, places: 2) }
      aims = row.aims.map { row.text($0) }
    }
  }

  var json: String { (try? JSONLineEncoder(names: .snakeCase).encode(rows.map(Line.init))) ?? "[]" }
}
