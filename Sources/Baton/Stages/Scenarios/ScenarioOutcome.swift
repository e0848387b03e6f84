import DaemonRuntime
import Ground
import Judge
import PhonePolicy
import Simulation

/// The outcome of one story: as text, and its JSON document.
struct ScenarioOutcome: Report {
  enum Kind: String, Codable, CaseIterable {
    case same, differs, updated, skipped
    case noProgress = "no progress"
    case broken, crashed
  }

  struct Difference: Report {
    var line: Int
    var text: String
    var expected: [String]
    var happened: [String]
  }

  var file: String
  var kind: Kind
  var tookMs: Int64 = 0
  /// Lines below the first one.
  var details: [String] = []
  var differences: [Difference] = []
  /// The home of a real phone that is kept.
  var home: String?
  /// The page of a failed story.
  var timeline: String?
  /// The app never took the node for the first time.
  var endedBeforeTheFirstLine = false

  enum CodingKeys: String, CodingKey {
    case file, kind = "outcome", tookMs, details, differences, home, timeline
  }
}

extension ScenarioOutcome {
  init(file: String, _ performance: Performance, took: TimeSpan) {
    self.init(file: file, kind: .same, tookMs: took.wholeMilliseconds)
    differences = performance.differences.map { played in
      let step = played.step
      return Difference(line: step.line, text: step.text, expected: step.expected, happened: played.said)
    }
    endedBeforeTheFirstLine = performance.endedBeforeTheFirstLine
    take(performance.verdict)
    if kind == .same, !differences.isEmpty { kind = .differs }
  }

  mutating func take(_ verdict: StageVerdict) {
    switch verdict {
    case .sound: break
    case .unsettled(let sentences): (kind, details) = (.noProgress, sentences)
    case .broken(let sentences), .unjudged(let sentences): (kind, details) = (.broken, sentences)
    case .crashed(let sentences): (kind, details) = (.crashed, sentences)
    }
  }

  var isGood: Bool { [.same, .updated, .skipped].contains(kind) }

  var exitCode: ExitCode {
    switch kind {
    case .same, .updated, .skipped: .done
    case .differs: .differs
    case .noProgress: .noProgress
    case .broken: .exclusionOrMoneyBroken
    case .crashed: .crashedByItself
    }
  }

  /// The gravest code of several files.
  static func exitCode(_ outcomes: [ScenarioOutcome]) -> ExitCode {
    let gravest: [ExitCode] = [.exclusionOrMoneyBroken, .crashedByItself, .noProgress, .differs]
    let codes = outcomes.map(\.exitCode)
    return gravest.first { codes.contains($0) } ?? .done
  }

  /// How many were as expected, and how many skipped; `stories`: what they are called.
  static func summary(_ outcomes: [ScenarioOutcome], _ stories: String = "") -> String {
    let skipped = outcomes.count { $0.kind == .skipped }
    let good = outcomes.count { $0.isGood } - skipped
    let played = "\(good) of \(outcomes.count - skipped)\(stories) as expected"
    return skipped == 0 ? played : "\(played), \(skipped) skipped"
  }

  // MARK: Output

  func text(_ output: Output, nameWidth: Int) -> [String] {
    let name = file + String(repeating: " ", count: max(0, nameWidth - file.count))
    let word = kind == .same ? "ok" : kind.rawValue
    let colour: Output.Colour = isGood ? (kind == .skipped ? .dim : .green) : .red
    let time = kind == .skipped ? details.first ?? "" : "\(HumanText.seconds(.milliseconds(tookMs))) s"
    let padding = String(repeating: " ", count: max(0, 11 - word.count))
    var lines = ["\(name)  \(output.paint(word, colour))\(padding)  \(time)"]
    guard kind != .skipped else { return lines }
    lines += details.map { "  \($0)" }
    for difference in kind == .updated ? [] : differences {
      lines.append("  line \(difference.line): \(difference.text)")
      lines += difference.expected.map { "    expected  \(output.paint($0, .green))" }
      if difference.expected.isEmpty { lines.append("    expected  nothing") }
      lines += difference.happened.map { "    happened  \(output.paint($0, .red))" }
      if difference.happened.isEmpty { lines.append("    happened  nothing") }
    }
    if let timeline { lines.append("  timeline: \(timeline)") }
    if let home { lines.append("  the phone is kept in \(home); look with `baton logs --home \(home)`") }
    return lines
  }

  func tell(_ output: Output, nameWidth: Int = 0) {
    if output.isJSON { return output.say(self) }
    for line in text(output, nameWidth: nameWidth) { output.say(line) }
  }
}

extension ScenarioOutcome {
  /// The outcome as a JUnit case: other answers are a failure, a crash is an error.
  var junit: JUnitFile.Case {
    let lines = text(Output(isJSON: false, usesColour: false), nameWidth: 0).dropFirst().joined(
      separator: "\n")
    let outcome: JUnitFile.Case.Outcome =
      switch kind {
      case .same, .updated: .passed
      case .skipped: .skipped(details.first ?? "")
      case .differs, .broken, .noProgress: .failed(kind.rawValue, details: lines)
      case .crashed: .error(kind.rawValue, details: lines)
      }
    return JUnitFile.Case(
      name: file, milliseconds: kind == .skipped ? nil : tookMs, outcome: outcome)
  }
}

/// Plays stories one after the other, each in its own simulated world or on its own phone.
struct ScenarioPlay {
  let verb: String
  /// The directory that is kept; with `hasSeveral` the one that has a subdirectory for each story.
  var keep: String?
  var hasSeveral = false
  var place: ScratchPlace?
  /// Where the events of the processes are printed while the story plays.
  var events: Output?
  /// Programs in place of Baton's.
  var pair: OwnPair?
  var isSimulated = false
  var updates = false
  var seed: UInt64 = 1
  var world = WorldSettings()
  /// For the timelines of simulated stories.
  var timelines: String?

  func play(_ scenario: Scenario, file: String) throws -> ScenarioOutcome {
    if let why = scenario.whySkipped(isSimulated: isSimulated) {
      return ScenarioOutcome(file: file, kind: .skipped, details: [why])
    }
    return isSimulated ? try simulate(scenario, file) : try perform(scenario, file)
  }

  // MARK: In virtual time

  private func simulate(_ scenario: Scenario, _ file: String) throws -> ScenarioOutcome {
    let start = Clock.monotonicNow
    var director = Director(scenario, on: SimulatedStage(scenario.settings(in: world).world, seed: seed))
    let performance = try director.run()
    var outcome = ScenarioOutcome(file: file, performance, took: Clock.monotonicNow - start)
    if !outcome.isGood, !updates || outcome.kind != .differs {
      outcome.timeline = TimelineFile.ofFailure(
        director.stage.story.timeline(title: "baton run --simulated \(file)"), named: Self.name(of: file),
        in: timelines)
    }
    if !outcome.isGood, outcome.kind != .differs {
      outcome.details.append("the story, in simulated time:")
      outcome.details += director.stage.story.text().suffix(Self.storyLinesMax)
    }
    return try update(outcome, performance)
  }

  /// About one screen.
  private static let storyLinesMax = 40

  // MARK: On real processes

  private func perform(_ scenario: Scenario, _ file: String) throws -> ScenarioOutcome {
    let home = try home(of: file)
    let stage = try RealStage(
      home: home, isLegacy: world.peerIsLegacy, settings: scenario.settings(), narrates: events, pair: pair)
    let start = Clock.monotonicNow
    // Also after an error; then the last records tell why.
    defer {
      stage.end()
      stage.narrator?.follow()
    }
    do {
      var director = Director(scenario, on: stage)
      let performance = try director.run()
      var outcome = try update(
        ScenarioOutcome(file: file, performance, took: Clock.monotonicNow - start), performance)
      if outcome.isGood, keep == nil { FilePath.remove(home) } else { outcome.home = home }
      if !outcome.isGood { drawn(&outcome, stage) }
      return outcome
    } catch let error as ControlClientError where Self.isGone(error) {
      return failed(file, .crashed(["a daemon ended: \(error)"]), since: start, stage)
    } catch let failure as Wait.Failure {
      // A phone that did not come up cannot be judged.
      let verdict = (try? stage.judge()) ?? .unsettled([])
      return failed(file, verdict.gaveUp("\(failure)"), since: start, stage)
    }
  }

  private func failed(
    _ file: String, _ verdict: StageVerdict, since start: Instant, _ stage: RealStage
  ) -> ScenarioOutcome {
    var outcome = ScenarioOutcome(
      file: file, kind: .noProgress, tookMs: (Clock.monotonicNow - start).wholeMilliseconds,
      home: stage.phone.home)
    outcome.take(verdict)
    drawn(&outcome, stage)
    return outcome
  }

  /// The processes end first, so that the picture has all that they wrote.
  private func drawn(_ outcome: inout ScenarioOutcome, _ stage: RealStage) {
    stage.end()
    outcome.timeline = TimelineFile.ofFailure(stage.phone)
  }

  /// No story ends a daemon: a daemon that is gone has crashed.
  private static func isGone(_ error: ControlClientError) -> Bool {
    switch error {
    case .notRunning, .hungUp: true
    case .foreign, .stopped, .timedOut, .refused, .outcomeUnknown, .malformed, .system: false
    }
  }

  private func home(of file: String) throws -> String {
    guard let keep, hasSeveral else { return try RunPlace.make(keep, in: place, named: verb) }
    return try RunPlace.make("\(keep)/\(Self.name(of: file))", below: keep, in: place, named: verb)
  }

  static func name(of file: String) -> String {
    let name = file.split(separator: "/").last.map(String.init) ?? "story"
    return name.hasSuffix(".txt") ? String(name.dropLast(4)) : name
  }

  // MARK: --update

  /// Only a story without a violation is updated.
  private func update(_ outcome: ScenarioOutcome, _ performance: Performance) throws -> ScenarioOutcome {
    guard updates, outcome.kind == .differs else { return outcome }
    try UserFile.write(
      performance.rewritten, to: outcome.file, "name the file itself, and with rights to write it")
    var outcome = outcome
    outcome.kind = .updated
    outcome.details = ["\(HumanText.count(performance.differences.count, "answer")) rewritten"]
    return outcome
  }
}

extension ScenarioPlay {
  /// Of `baton run`.
  init(_ invocation: Invocation) throws {
    let line = invocation.line
    self.init(
      verb: "run", keep: line.text("--keep"), hasSeveral: line.positionals.count > 1,
      place: invocation.place, events: line.isGiven("--events") ? invocation.output : nil)
    isSimulated = line.isGiven("--simulated")
    updates = line.isGiven("--update")
    seed = UInt64(line.integer("--seed") ?? 1)
    world = try SimOptions(line).settings(seed: seed).world
    timelines = line.text("--timelines")
    try require(
      !isSimulated || events == nil, .wrongUsage,
      "--events prints the records of real processes; omit --simulated, or print a simulated run with `baton replay --seed`"
    )
    try require(
      !isSimulated || keep == nil, .wrongUsage,
      "--keep and --simulated exclude each other: a simulation has no directory; omit one")
    try require(
      isSimulated || line.text("--without") == nil, .wrongUsage, "--without requires --simulated")
  }
}

/// Prints the events of a phone and its peer while a story plays on them, from the journals that they write.
final class StoryNarrator {
  let output: Output
  private let start = Clock.monotonicNow
  private let merger: JournalMerger
  private var sentences = JournalNarrator()
  private var waits = NodeWaits()

  init(_ phone: Baton.Phone, _ output: Output) {
    self.output = output
    merger = JournalMerger(directory: phone.journal)
  }

  /// Prints what the journals have since the last call.
  func follow() {
    for entry in merger.readNew() {
      for sentence in sentences.sentences(for: entry) where sentence.weight == .key {
        line(.event, at: entry.line.at, process: entry.process, sentence.text)
      }
      if let wait = waits.ended(by: entry) { line(.wait, at: entry.line.at, wait.sentence, took: wait.took) }
    }
  }

  func headline(_ text: String) {
    if !output.isJSON { output.say("") }
    line(.step, at: Clock.monotonicNow, text)
  }

  func remark(_ text: String) { line(.remark, at: Clock.monotonicNow, text) }

  func tell(_ verdict: Verdict, _ replays: [JournalReplay.Outcome], _ different: [String]) {
    different.forEach(remark)
    if different.isEmpty {
      let decisions = replays.flatMap(\.events).map(\.count).reduce(0, +)
      remark("\(decisions) decisions in \(replays.count) journals replayed: identical, byte for byte")
    }
    guard !output.isJSON else { return }
    for line in verdict.text.split(separator: "\n") { output.say("           \(line)") }
    output.say("")
  }

  struct Line: Report {
    /// Milliseconds since the start.
    var tMs: Int64
    /// step (a part of the story), event (a record of a process), wait (the app waited for the node) or remark.
    var kind: String
    var process: String?
    var text: String
    /// With `wait`: how long.
    var tookMs: Int64?
  }

  private enum Kind: String { case step, event, wait, remark }

  private func line(
    _ kind: Kind, at instant: Instant, process: String? = nil, _ text: String, took: TimeSpan? = nil
  ) {
    let since = instant - start
    if output.isJSON {
      return output.say(
        Line(
          tMs: since.wholeMilliseconds, kind: kind.rawValue, process: process, text: text,
          tookMs: took?.wholeMilliseconds))
    }
    let seconds = HumanText.seconds(since)
    let time = output.paint(String(repeating: " ", count: max(0, 7 - seconds.count)) + seconds + " s", .dim)
    switch kind {
    case .step: output.say("\(time)  \(output.paint(text, .bold))")
    case .remark, .wait: output.say("\(time)  \(output.paint("→ \(text)", .cyan))")
    case .event: output.say("\(time)    \(LogPrinter.column(of: process ?? "", output))  \(text)")
    }
  }
}
