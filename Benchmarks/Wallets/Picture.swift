/// The figures as bars in an SVG, one panel for each figure.
struct Picture {
  private struct Panel: Sendable {
    var title: String
    var value: @Sendable (Figures) -> Double
    var text: @Sendable (Figures) -> String
  }

  private static var panels: [Panel] {
    [
      Panel(
        title: "payments/s, settled by connected wallets", value: { Double($0.settledPerSecond) },
        text: { Figures.grouped($0.settledPerSecond) }),
      Panel(
        title: "payments/s, held for wallets that are away", value: { Double($0.heldPerSecond) },
        text: { Figures.grouped($0.heldPerSecond) }),
      Panel(
        title: "request to push, p99", value: { Double($0.pushNinetyNine.nanoseconds) },
        text: { Figures.milliseconds($0.pushNinetyNine) }),
      Panel(
        title: "memory of a connected wallet", value: { Double($0.connectedBytes) },
        text: { "\(Figures.grouped($0.connectedBytes)) B" }),
      Panel(
        title: "memory of a wallet that is away", value: { Double($0.awayBytes) },
        text: { "\(Figures.grouped($0.awayBytes)) B" }),
      Panel(
        title: "ledger of a wallet", value: { Double($0.ledgerBytes) },
        text: { "\(Figures.grouped($0.ledgerBytes)) B" }),
    ]
  }

  var rows: [Figures]

  private static let width = 330.0
  private static let bar = 150.0

  var svg: String {
    let height = 34.0 + 20 * Double(rows.count)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(2 * Self.width))" height="\(Int(3 * height))" \
      font-family="sans-serif" font-size="11">
      <rect width="100%" height="100%" fill="#ffffff"/>

      """
    for (place, panel) in Self.panels.enumerated() {
      let (x, y) = (Double(place % 2) * Self.width, Double(place / 2) * height)
      text += drawn(panel, x + 8, y)
    }
    return text + "</svg>\n"
  }

  private func drawn(_ panel: Panel, _ x: Double, _ y: Double) -> String {
    let largest = max(rows.map(panel.value).max() ?? 0, 1)
    var text = "<text x=\"\(x)\" y=\"\(y + 18)\" font-weight=\"bold\">\(panel.title)</text>\n"
    for (row, figures) in rows.enumerated() {
      let top = y + 26 + 20 * Double(row)
      let length = max(1, max(0, panel.value(figures)) / largest * Self.bar)
      text += """
        <text x="\(x + 50)" y="\(top + 11)" text-anchor="end">\(Figures.grouped(figures.wallets))</text>
        <rect x="\(x + 56)" y="\(top)" width="\(length)" height="14" fill="#4878a8"/>
        <text x="\(x + 61 + length)" y="\(top + 11)">\(panel.text(figures))</text>

        """
    }
    return text
  }
}
