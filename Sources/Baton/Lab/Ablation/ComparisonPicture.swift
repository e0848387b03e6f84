import Museum
import Simulation

/// The comparison as an SVG table: one row per world, one column per coordination.
struct ComparisonPicture {
  let cells: [Comparison.Cell]

  private static let labelWidth = 280
  private static let columnWidth = 190
  private static let lineHeight = 16
  private static let headHeight = 96

  private func cell(_ world: String, _ coordination: Coordination) -> Comparison.Cell? {
    cells.first { $0.trial.words == world && $0.coordination == coordination }
  }

  private func lines(_ world: String, _ coordination: Coordination) -> [String] {
    guard let cell = cell(world, coordination) else { return ["tasks are not modelled"] }
    if cell.findings.isEmpty {
      return ["nothing", cell.isComplete ? "all states seen" : "not all states seen"]
    }
    return cell.words
  }

  private func height(_ world: String) -> Int {
    (cells.coordinations.map { lines(world, $0).count }.max() ?? 1) * Self.lineHeight + 20
  }

  var svg: [String] {
    let width = Self.labelWidth + cells.coordinations.count * Self.columnWidth + 20
    let height = Self.headHeight + cells.worlds.map(height).reduce(0, +) + 40
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\" font-family=\"system-ui, sans-serif\" font-size=\"13\">",
      "<title>What breaks, and when: one payment and one opening of the app, every interleaving</title>",
      "<rect width=\"\(width)\" height=\"\(height)\" fill=\"#ffffff\"/>",
      text(16, 28, "What breaks, and when", size: 17, weight: "600"),
      text(16, 50, "one payment, one opening of the app, every interleaving", fill: "#57606a"),
    ]
    for (place, coordination) in cells.coordinations.enumerated() {
      lines.append(text(column(place) + 12, 84, coordination.name, weight: "600"))
    }
    var top = Self.headHeight
    for world in cells.worlds {
      lines.append(text(16, top + 24, world))
      for (place, coordination) in cells.coordinations.enumerated() {
        lines += box(place, top, world, coordination)
      }
      top += self.height(world)
    }
    lines.append(
      text(
        16, top + 24, "red: money or the channel is at stake; yellow: it costs time", fill: "#57606a",
        size: 12))
    return lines + ["</svg>"]
  }

  private func column(_ place: Int) -> Int { Self.labelWidth + place * Self.columnWidth }

  private func box(_ place: Int, _ top: Int, _ world: String, _ coordination: Coordination) -> [String] {
    let (fill, ink) = colours(cell(world, coordination)?.findings)
    let frame =
      "<rect x=\"\(column(place) + 4)\" y=\"\(top + 4)\" width=\"\(Self.columnWidth - 8)\" height=\"\(height(world) - 8)\" rx=\"5\" fill=\"\(fill)\"/>"
    return [frame]
      + lines(world, coordination).enumerated().map { line, words in
        text(column(place) + 12, top + 24 + line * Self.lineHeight, words, fill: ink)
      }
  }

  private func colours(_ findings: [ExploreReport.Finding]?) -> (fill: String, ink: String) {
    guard let findings else { return ("#f6f8fa", "#57606a") }
    if findings.isEmpty { return ("#dafbe1", "#116329") }
    let costsTime = findings.allSatisfy { $0.violation.invariant == .progress }
    return costsTime ? ("#fff8c5", "#7d4e00") : ("#ffebe9", "#a40e26")
  }

  private func text(
    _ x: Int, _ y: Int, _ words: String, fill: String = "#1f2328", size: Int = 13, weight: String = "400"
  ) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(fill)\" font-size=\"\(size)\" font-weight=\"\(weight)\">\(words)</text>"
  }
}
