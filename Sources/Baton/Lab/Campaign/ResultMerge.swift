import Crypto
import DaemonRuntime
import Glibc
import Ground
import PhonePolicy
import Simulation

/// Merges the parts of a campaign, seed by seed. Repeated parts and their order change nothing; a lost part is missing
/// and can be run again.
struct ResultMerge {
  private struct Entry {
    var result: SeedResult
    var place: String
  }

  private var entries: [UInt64: Entry] = [:]
  private var options: (words: String, place: String)?
  /// Lines of seeds that were already merged.
  private(set) var repeated = 0
  /// Files whose last line is truncated, as the writing process ended.
  private(set) var torn: [String] = []

  init() {}

  /// Without files --missing prints the whole range: a campaign begins with it.
  init(files: [String], mayBeNone: Bool = false) throws(CommandFailure) {
    try require(
      !files.isEmpty || mayBeNone, .wrongUsage,
      "FILE is missing: name files that `baton sim --results` wrote; a pattern may have matched none")
    for path in files {
      let bytes = try require(
        FilePath.contents(of: path), .inputOutputError,
        "\(path.onOneLine) cannot be read; name files of results")
      try add(bytes, named: path)
    }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Adds one file of results.
  mutating func add(_ bytes: [UInt8], named name: String) throws(CommandFailure) {
    let newline = UInt8(ascii: "\n")
    let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
    // After the last newline: nothing, or a truncated line.
    for (number, line) in lines.enumerated() {
      let isLast = number == lines.count - 1
      if isLast, line.isEmpty { break }
      let place = "\(name) line \(number + 1)"
      if let result = SeedResult(line: Array(line)) {
        try add(result, at: place)
      } else if isLast {
        torn.append(name)
      } else {
        throw CommandFailure(
          .inputOutputError,
          "\(place.onOneLine) is not a result of `baton sim --results`; omit that file, or run its seeds again"
        )
      }
    }
  }

  private mutating func add(_ result: SeedResult, at place: String) throws(CommandFailure) {
    if let known = options, known.words != result.options {
      throw CommandFailure(
        .wrongUsage,
        "\(known.place.onOneLine) was run with \(Self.words(known.words)), \(place.onOneLine) with \(Self.words(result.options)); merge each campaign separately"
      )
    }
    if options == nil { options = (result.options, place) }
    guard let known = entries[result.seed] else {
      entries[result.seed] = Entry(result: result, place: place)
      return
    }
    try require(
      known.result == result, .bugOfOurs,
      "seed \(result.seed) has different results in \(known.place.onOneLine) and \(place.onOneLine): two versions of baton ran it, or a run is not deterministic"
    )
    repeated += 1
  }

  private static func words(_ options: String) -> String {
    options.isEmpty ? "no options" : options.onOneLine
  }

  // MARK: Results

  /// In the order of seeds; only those of `range`, if it is given.
  func results(of range: SeedRange?) -> [SeedResult] {
    entries.values.map(\.result).filter { range?.contains($0.seed) ?? true }.sorted { $0.seed < $1.seed }
  }

  /// The missing seeds, in order, in ranges of at most `size`.
  func missing(of range: SeedRange, atMost size: UInt64 = .max) -> [SeedRange] {
    var gaps: [SeedRange] = []
    var next = range.first
    func add(upTo last: UInt64) {
      while next <= last {
        // Compare distances: `next + size` may overflow.
        let end = last - next < size ? last : next + size - 1
        gaps.append(SeedRange(next, end))
        next = end + 1
      }
    }
    for seed in entries.keys.filter(range.contains).sorted() {
      if seed > next { add(upTo: seed - 1) }
      next = seed + 1
    }
    add(upTo: range.last)
    return gaps
  }
}

/// The result of a campaign, as text and as JSON.
struct MergeReport {
  private static let namedAtMost = 10

  private let results: [SeedResult]
  private let broken: [SeedResult]
  private let range: SeedRange?
  private let missing: [SeedRange]
  private let merge: ResultMerge

  init(_ merge: ResultMerge, of range: SeedRange?) {
    results = merge.results(of: range)
    broken = results.filter { $0.verdict != .sound }
    self.range = range
    missing = range.map { merge.missing(of: $0) } ?? []
    self.merge = merge
  }

  private var missingCount: UInt64 { missing.reduce(0) { $0 + $1.count } }
  private func sum(_ figure: (SeedResult) -> UInt64) -> UInt64 { results.reduce(0) { $0 &+ figure($1) } }

  /// A broken invariant outweighs a missing seed.
  var exitCode: ExitCode {
    if broken.contains(where: { $0.verdict == .broken }) { return .exclusionOrMoneyBroken }
    if !broken.isEmpty { return .noProgress }
    return missing.isEmpty ? .done : .inputOutputError
  }

  private var facts: [(String, String)] {
    let seeds = HumanText.grouped(UInt64(results.count))
    return [
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
    ]
  }

  private var missingWords: String? {
    guard !missing.isEmpty else { return nil }
    let named = missing.prefix(Self.namedAtMost).map(\.words).joined(separator: ", ")
    let more = missing.count > Self.namedAtMost ? ", and more" : ""
    return "missing: \(HumanText.grouped(missingCount)) seeds: \(named)\(more)"
  }

  private var verdict: String {
    broken.isEmpty ? "no invariant broke" : "\(HumanText.count(broken.count, "seed")) broke an invariant"
  }

  private static func command(_ result: SeedResult) -> String {
    "baton replay --seed \(result.seed)\(result.options.isEmpty ? "" : " \(result.options.onOneLine)")"
  }

  /// With every violation.
  var page: String {
    func row(_ cells: [String]) -> String {
      "<tr>\(cells.map { "<td>\(PageFrame.escaped($0))</td>" }.joined())</tr>"
    }
    let violations = broken.map { row(["seed \($0.seed)", $0.sentence ?? "", Self.command($0)]) }
    let body =
      ["<h1>\(PageFrame.escaped(verdict))</h1>", "<p>\(missingWords ?? "no seed is missing")</p>", "<table>"]
      + facts.map { row([$0.0, $0.1]) } + ["</table>", "<table>"] + violations + ["</table>"]
    return PageFrame(
      title: "baton sim: \(verdict)", styles: [], body: Array(body.joined(separator: "\n").utf8)
    ).html
  }

  func tell(_ output: Output) {
    output.facts(facts)
    if merge.repeated > 0 { output.say("\(HumanText.count(merge.repeated, "repeated line")), identical") }
    for name in merge.torn { output.say("\(name.onOneLine): the last line is truncated and was skipped") }
    if let missingWords { output.say(output.paint(missingWords, .yellow)) }
    guard !broken.isEmpty else { return output.say(output.paint(verdict, .green)) }
    output.say(output.paint("\(verdict):", .red))
    for result in broken.prefix(Self.namedAtMost) {
      output.say("  seed \(result.seed): \((result.sentence ?? "").onOneLine)")
      output.say("    again: \(Self.command(result))")
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
      paid: sum(\.paid), faults: sum(\.faults), repeatedLines: merge.repeated, tornFiles: merge.torn,
      missing: missingCount, missingRanges: missing.map(\.words), brokenSeeds: broken.map(\.seed))
  }
}

/// The result of one seed as one line of JSON. It has no place, time or speed: a repeated run gives the same bytes.
package struct SeedResult: Hashable, Report {
  package enum Verdict: String, Codable, Sendable, CaseIterable {
    case sound
    case broken
    case noProgress = "no progress"
  }

  package var seed: UInt64
  /// The options of `baton sim` and `baton replay` that differ from the defaults.
  package var options: String
  package var verdict: Verdict
  /// The violation, if any.
  package var sentence: String?
  var simulatedMs: UInt64
  package var events: UInt64
  package var payments: UInt64
  package var paid: UInt64
  var faults: UInt64
  /// Hash of the output of `baton replay --step` for this seed.
  var storySHA256: String

  package var line: String { json }
}

extension SeedResult {
  /// Nil unless the text equals `line`'s output byte for byte: a damaged line is not a result.
  init?(line text: [UInt8]) {
    guard let result = SeedResult(json: text) else { return nil }
    self = result
    guard Array(line.utf8) == text, (sentence == nil) == (verdict == .sound) else { return nil }
  }

  init(_ result: RunResult, story: WorldStory, options: String) {
    let output = story.text(all: true).map { $0 + "\n" }.joined()
    self.init(
      seed: result.seed, options: options,
      verdict: result.violation.map { $0.invariant == .progress ? .noProgress : .broken } ?? .sound,
      sentence: result.violation.map { "\($0.invariant.sentence) \($0.sentence)" },
      simulatedMs: UInt64(clamping: result.simulated.wholeMilliseconds), events: result.events,
      payments: UInt64(clamping: result.payments), paid: UInt64(clamping: result.paid),
      faults: UInt64(clamping: result.faults.reduce(0, +)), storySHA256: SHA256.hash(Array(output.utf8)).hex)
  }
}

/// Writes each seed's line as soon as it is known, from several threads: a killed process loses only the seeds that it
/// was running.
final class ResultWriter: Sendable {
  private struct State {
    var file: LineWriter?
    var hasFailed = false
  }

  static let standardOutputName = "-"

  private let options: String
  private let state: Locked<State>

  /// `-` is standard output. An existing file is truncated: its lines may be of another version.
  init(_ path: String, options: String) throws(CommandFailure) {
    self.options = options
    if path == Self.standardOutputName {
      state = Locked(State(file: nil))
      return
    }
    do throws(SystemError) {
      let descriptor = try PlainFile.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, mode: 0o644)
      state = Locked(State(file: LineWriter(appendingTo: descriptor)))
    } catch { throw CommandFailure(.cannotCreate, "\(error.fact); name another file with --results") }
  }

  /// False once a line could not be written: the campaign ends.
  func write(_ result: RunResult, _ story: WorldStory) -> Bool {
    let line = SeedResult(result, story: story, options: options).line
    return state.withLock { state in
      if state.hasFailed { return false }
      let isWritten = state.file?.append(line) ?? StandardOutput.write("\(line)\n")
      state.hasFailed = !isWritten
      return isWritten
    }
  }

  var hasFailed: Bool { state.withLock { $0.hasFailed } }
}
