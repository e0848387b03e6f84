import DaemonRuntime
import Ground
import Inspection
import PhoneClient
import Reports
import Simulation
import Timeline

/// A campaign's results as a page, with the timelines of some broken seeds beside it.
struct CampaignReport {
  private static let piecesMax: UInt64 = 200

  let results: [SeedResult]
  let missing: [SeedRange]
  let range: SeedRange?

  init(_ merge: ResultMerge, of range: SeedRange?) {
    let results = merge.results(of: range)
    let whole =
      range ?? results.first.flatMap { first in results.last.map { SeedRange(first.seed, $0.seed) } }
    self.results = results
    self.range = whole
    missing = whole.map { merge.missing(of: $0) } ?? []
  }

  var broken: [SeedResult] { results.filter { $0.verdict != .sound } }

  /// `links` has the files of timelines, by seed.
  func page(links: [UInt64: String] = [:]) -> CampaignPage {
    let absent = missing.reduce(0) { $0 + $1.count }
    let words =
      !broken.isEmpty
      ? "\(HumanText.count(broken.count, "seed")) of \(HumanText.grouped(UInt64(results.count))) broke an invariant"
      : absent > 0
        ? "no invariant broke, but \(HumanText.grouped(absent)) seeds have no result"
        : "no invariant broke in \(HumanText.count(results.count, "seed"))"
    var page = CampaignPage(
      title: "Campaign of seeds \(range?.words ?? "")", verdict: words, isSound: broken.isEmpty && absent == 0
    )
    page.facts = facts(absent)
    page.coverage = pieces
    page.distributions = Self.figures.map { name, figure in
      CampaignPage.Distribution(name: name, values: results.map(figure))
    }
    page.violations = broken.map { result in
      CampaignPage.Violation(
        seed: result.seed, sentence: result.sentence ?? "",
        command: "baton replay --seed \(result.seed)\(result.options.isEmpty ? "" : " \(result.options)")",
        link: links[result.seed])
    }
    return page
  }

  private static var figures: [(String, (SeedResult) -> UInt64)] {
    [
      ("events that a core acted on, per run", { $0.events }), ("payments", { $0.payments }),
      ("payments settled", { $0.paid }), ("faults", { $0.faults }),
      ("simulated seconds", { $0.simulatedMs / 1000 }),
    ]
  }

  private func sum(_ figure: (SeedResult) -> UInt64) -> UInt64 { results.reduce(0) { $0 &+ figure($1) } }

  private func facts(_ absent: UInt64) -> [CampaignPage.Fact] {
    let options = results.first?.options ?? ""
    return [
      .init("seeds with a result", HumanText.grouped(UInt64(results.count))),
      .init("seeds without", HumanText.grouped(absent)), .init("options", options.isEmpty ? "none" : options),
      .init("simulated", HumanText.hours(milliseconds: sum(\.simulatedMs))),
      .init("events", HumanText.grouped(sum(\.events))),
      .init("payments", HumanText.grouped(sum(\.payments))),
      .init("settled", HumanText.grouped(sum(\.paid))), .init("faults", HumanText.grouped(sum(\.faults))),
      .init("broken", "\(results.count { $0.verdict == .broken })"),
      .init("without progress", "\(results.count { $0.verdict == .noProgress })"),
    ]
  }

  private var pieces: [CampaignPage.Piece] {
    guard let range else { return [] }
    let size = max(1, (range.count + Self.piecesMax - 1) / Self.piecesMax)
    var pieces: [CampaignPage.Piece] = []
    var next = 0
    var first = range.first
    while first <= range.last {
      let last = range.last - first < size ? range.last : first + size - 1
      var piece = CampaignPage.Piece(first: first, last: last, sound: 0, broken: 0, missing: 0)
      while next < results.count, results[next].seed <= last {
        if results[next].verdict == .sound { piece.sound += 1 } else { piece.broken += 1 }
        next += 1
      }
      piece.missing = Int(clamping: last - first + 1) - piece.sound - piece.broken
      pieces.append(piece)
      first = last + 1
    }
    return pieces
  }
}
