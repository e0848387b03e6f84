import Ground

/// A campaign's results as one HTML page without a script.
package struct CampaignPage {
  /// A figure of every run.
  package struct Distribution: Hashable, Sendable {
    package var name: String
    package var values: [UInt64]

    package init(name: String, values: [UInt64]) {
      self.name = name
      self.values = values
    }
  }

  /// A figure of the whole campaign.
  package struct Fact: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A piece of the range of seeds.
  package struct Piece: Hashable, Sendable {
    package var first: UInt64
    package var last: UInt64
    package var sound: Int
    package var broken: Int
    package var missing: Int

    package init(first: UInt64, last: UInt64, sound: Int, broken: Int, missing: Int) {
      self.first = first
      self.last = last
      self.sound = sound
      self.broken = broken
      self.missing = missing
    }
  }

  package struct Violation: Hashable, Sendable {
    package var seed: UInt64
    package var sentence: String
    /// What repeats the run.
    package var command: String
    /// The file of its timeline, beside the page.
    package var link: String?

    package init(seed: UInt64, sentence: String, command: String, link: String? = nil) {
      self.seed = seed
      self.sentence = sentence
      self.command = command
      self.link = link
    }
  }

  package var title: String
  package var verdict: String
  package var isSound: Bool
  package var facts: [Fact] = []
  package var coverage: [Piece] = []
  package var distributions: [Distribution] = []
  package var violations: [Violation] = []

  package init(title: String, verdict: String, isSound: Bool) {
    self.title = title
    self.verdict = verdict
    self.isSound = isSound
  }

  package var html: String {
    let body = [
      "<main>", "<h1>\(escaped(title))</h1>",
      "<p class=\"verdict \(isSound ? "good" : "bad")\">\(isSound ? "✓" : "⚠") \(escaped(verdict))</p>",
      table,
      strip, violationList, distributions.isEmpty ? "" : "<h2>Distributions</h2>\n<div class=\"charts\">",
      distributions.map(chart).joined(separator: "\n"), distributions.isEmpty ? "" : "</div>", "</main>",
    ].joined(separator: "\n")
    return PageFrame(
      title: title, styles: [PackageResources.frame_css, PackageResources.campaign_css],
      body: Array(body.utf8)
    ).html
  }

  private func escaped(_ text: String) -> String { PageFrame.escaped(text) }

  private var table: String {
    let rows = facts.map { "<tr><th>\(escaped($0.name))</th><td>\(escaped($0.value))</td></tr>" }
    return "<table>\n\(rows.joined(separator: "\n"))\n</table>"
  }

  // MARK: Coverage

  private var strip: String {
    guard !coverage.isEmpty else { return "" }
    let width = 1000.0 / Double(coverage.count)
    let cells = coverage.enumerated().map { place, piece in
      let state = piece.broken > 0 ? "broken" : piece.missing > 0 ? "missing" : "sound"
      let seeds = piece.first == piece.last ? "seed \(piece.first)" : "seeds \(piece.first) to \(piece.last)"
      let words = "\(seeds): \(piece.sound) sound, \(piece.broken) broken, \(piece.missing) missing"
      let x = Self.number(Double(place) * width)
      return
        "<rect class=\"\(state)\" x=\"\(x)\" y=\"\(state == "sound" ? 12 : 0)\" width=\"\(Self.number(max(0.5, width - 0.5)))\" height=\"\(state == "sound" ? 20 : state == "broken" ? 44 : 32)\"><title>\(words)</title></rect>"
    }
    return """
      <h2>Coverage</h2>
      <p class="soft">Each bar is a part of the range, in the order of seeds: <span class="key sound">sound</span>, \
      <span class="key broken">with a violation (longer)</span>, <span class="key missing">with missing seeds (upwards)</span>.</p>
      <svg class="strip" viewBox="0 0 1000 44" preserveAspectRatio="none" role="img" aria-label="coverage of the range">\
      \(cells.joined())</svg>
      """
  }

  // MARK: Violations

  private var violationList: String {
    guard !violations.isEmpty else { return "" }
    var kinds: [String] = []
    var seeds: [String: [Violation]] = [:]
    for violation in violations {
      let kind = violation.sentence.filter { !$0.isNumber }
      if seeds[kind] == nil { kinds.append(kind) }
      seeds[kind, default: []].append(violation)
    }
    let items = kinds.map { kind in
      let all = seeds[kind] ?? []
      let shown = all.prefix(Self.shownMax).map { one in
        let link =
          one.link.map { " <a href=\"\(escaped($0))\">timeline</a>" } ?? ""
        return "<li>seed \(one.seed):\(link) <code>\(escaped(one.command))</code></li>"
      }
      let rest = all.count > shown.count ? "<li class=\"soft\">and \(all.count - shown.count) more</li>" : ""
      return
        "<section><h3>\(escaped(all.first?.sentence ?? ""))</h3><p class=\"soft\">\(all.count) \(all.count == 1 ? "seed" : "seeds")</p><ul>\(shown.joined())\(rest)</ul></section>"
    }
    return "<h2>Violations</h2>\n\(items.joined(separator: "\n"))"
  }

  private static let shownMax = 50

  // MARK: Distributions

  private static let bins = 32

  private func chart(_ distribution: Distribution) -> String {
    let sorted = distribution.values.sorted()
    guard let least = sorted.first, let most = sorted.last else { return "" }
    let size = max(1, (most - least) / UInt64(Self.bins) + 1)
    let count = Int((most - least) / size) + 1
    var counts = [Int](repeating: 0, count: count)
    for value in sorted { counts[Int((value - least) / size)] += 1 }
    let highest = counts.max() ?? 1
    let width = 320.0 / Double(count)
    let bars = counts.enumerated().map { place, number in
      let tall = number == 0 ? 0 : max(1, Double(number) / Double(highest) * 90)
      let from = least + UInt64(place) * size
      let range = size == 1 ? "\(from)" : "\(from) to \(from + size - 1)"
      return
        "<rect x=\"\(Self.number(Double(place) * width))\" y=\"\(Self.number(96 - tall))\" width=\"\(Self.number(max(0.5, width - 1)))\" height=\"\(Self.number(tall))\"><title>\(range): \(number) runs</title></rect>"
    }
    func at(_ percent: Int) -> UInt64 { sorted[(sorted.count - 1) * percent / 100] }
    let mean = sorted.reduce(0, +) / UInt64(sorted.count)
    let figures = [("mean", mean), ("median", at(50)), ("p99", at(99)), ("most", most)]
      .map { "\($0.0) \(AmountText.grouped($0.1))" }.joined(separator: ", ")
    return """
      <figure><figcaption><b>\(escaped(distribution.name))</b> <span class="soft">\(figures)</span></figcaption>
      <svg viewBox="0 0 320 112" role="img" aria-label="\(escaped(distribution.name))">\(bars.joined())\
      <path d="M0 96.5H320"/><text x="0" y="109">\(AmountText.grouped(least))</text>\
      <text x="320" y="109" text-anchor="end">\(AmountText.grouped(most))</text></svg></figure>
      """
  }

  private static func number(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
