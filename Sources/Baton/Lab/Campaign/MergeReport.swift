import PhoneClient
import Terminal
import DaemonRuntime
import Reports

/// The result of a campaign, as text and as JSON.
struct MergeReport {
  private static let namedAtMost = 10

  private let results: [SeedResult]
  private let broken: [SeedResult]
  private let range: SeedRange?
  private let missing: [SeedRange]
  private let repeated: Int
  private let torn: [String]

  init(_ merge: ResultMerge, of range: SeedRange?) {
    results = merge.results(of: range)
    broken = results.filter { $0.verdict != .sound }
    self.range = range
    missing = range.map { merge.missing(of: $0) } ?? []
    repeated = merge.repeated
    torn = merge.torn
  }

  private var missingCount: UInt64 { missing.reduce(0) { $0 + $1.count } }
  private func sum(_ figure: (SeedResult) -> UInt64) -> UInt64 { results.reduce(0) { $0 &+ figure($1) } }

  /// A broken invariant outweighs a missing seed.
  var exitCode: ExitCode {
    if broken.contains(where: { $0.verdict == .broken }) { return .exclusionOrMoneyBroken }
    if !broken.isEmpty { return .noProgress }
    return missing.isEmpty ? .done : .inputOutputError
  }

  func tell(_ output: Output) {
    let seeds = HumanText.grouped(UInt64(results.count))
    output.facts([
      (
        "seeds",
        range.map { "\(seeds) of \(HumanText.grouped($0.count)), each once" } ?? "\(seeds), each once"
      ),
      ("simulated", HumanText.hours(milliseconds: sum(\.simulatedMs))),
      ("events", HumanText.grouped(sum(\.events))),
      (
        "payments", "\(HumanText.grouped(sum(\.payments))), \(HumanText.grouped(sum(\.paid))) of them settled"
      ),
      ("faults", HumanText.grouped(sum(\.faults))),
    ])
    if repeated > 0 {
      output.say("\(HumanText.count(repeated, "repeated line")), identical")
    }
    for name in torn { output.say("\(name.onOneLine): the last line is truncated and was skipped") }
    if !missing.isEmpty {
      let more = missing.count > Self.namedAtMost ? ", and more" : ""
      let named = missing.prefix(Self.namedAtMost).map(\.words).joined(separator: ", ")
      output.say(output.paint("missing: \(HumanText.grouped(missingCount)) seeds: \(named)\(more)", .yellow))
    }
    guard !broken.isEmpty else { return output.say(output.paint("no invariant broke", .green)) }
    output.say(output.paint("\(HumanText.count(broken.count, "seed")) broke an invariant:", .red))
    for result in broken.prefix(Self.namedAtMost) {
      output.say("  seed \(result.seed): \((result.sentence ?? "").onOneLine)")
      let options = result.options.isEmpty ? "" : " \(result.options.onOneLine)"
      output.say("    again: baton replay --seed \(result.seed)\(options)")
    }
    if broken.count > Self.namedAtMost { output.say("  and \(broken.count - Self.namedAtMost) more") }
  }

  struct Document: Report {
    var seeds: Int
    var simulatedMs: UInt64
    var events: UInt64
    var payments: UInt64
    var paid: UInt64
    var faults: UInt64
    var repeatedLines: Int
    var tornFiles: [String]
    var missing: UInt64
    var missingRanges: [String]
    var brokenSeeds: [UInt64]
  }

  var document: Document {
    Document(
      seeds: results.count, simulatedMs: sum(\.simulatedMs), events: sum(\.events), payments: sum(\.payments),
      paid: sum(\.paid), faults: sum(\.faults), repeatedLines: repeated, tornFiles: torn,
      missing: missingCount, missingRanges: missing.map(\.words), brokenSeeds: broken.map(\.seed))
  }
}
