import Ground
import DaemonRuntime
import Simulation

/// Plays stories one after the other, each in its own simulated world or on its own phone.
struct ScenarioPlay {
  private var isSimulated = false
  private var updates = false
  private let keep: String?
  private var hasSeveral = false
  private var seed: UInt64 = 1
  private var world = WorldSettings()
  private let place: ScratchPlace?
  /// Where the events of the processes are printed while the story plays.
  private let events: Output?
  private let verb: String
  /// For the timelines of simulated stories.
  private let timelines: String?
  /// Programs in place of Baton's.
  private var pair: OwnPair?

  /// Each story on a phone of its own in a subdirectory of `root`, which is kept.
  init(evidence root: String, pair: OwnPair?) {
    self.pair = pair
    keep = root
    hasSeveral = true
    (place, events, timelines) = (nil, nil, nil)
    verb = "ci"
  }

  /// A verb's own story, on real processes.
  init(narrated invocation: Invocation, verb name: String) {
    keep = invocation.line.text("--keep")
    place = invocation.place
    events = invocation.output
    verb = name
    timelines = nil
  }

  init(_ invocation: Invocation) throws {
    let line = invocation.line
    isSimulated = line.isGiven("--simulated")
    updates = line.isGiven("--update")
    keep = line.text("--keep")
    hasSeveral = line.positionals.count > 1
    seed = UInt64(line.integer("--seed") ?? 1)
    world = try SimOptions(line).settings(seed: seed).world
    events = line.isGiven("--events") ? invocation.output : nil
    place = invocation.place
    verb = "run"
    timelines = line.text("--timelines")
    if isSimulated, events != nil {
      throw CommandFailure(
        .wrongUsage,
        "--events prints the records of real processes; omit --simulated, or print a simulated run with `baton replay --seed`"
      )
    }
    if isSimulated, keep != nil {
      throw CommandFailure(
        .wrongUsage, "--keep and --simulated exclude each other: a simulation has no directory; omit one")
    }
    if !isSimulated, line.text("--without") != nil {
      throw CommandFailure(.wrongUsage, "--without requires --simulated")
    }
  }

  func play(_ scenario: Scenario, file: String) throws -> ScenarioOutcome {
    switch scenario.place {
    case .simulated(let because) where !isSimulated:
      return ScenarioOutcome(file: file, skippedBecause: "simulated only, as \(because)")
    case .real(let because) where isSimulated:
      return ScenarioOutcome(file: file, skippedBecause: "real only, as \(because)")
    default: break
    }
    return isSimulated ? try simulate(scenario, file) : try perform(scenario, file)
  }

  // MARK: In virtual time

  private func simulate(_ scenario: Scenario, _ file: String) throws -> ScenarioOutcome {
    let start = Clock.monotonicNow
    var director = Director(scenario, on: SimulatedStage(world.with(scenario.settings), seed: seed))
    let performance = try director.run()
    var outcome = ScenarioOutcome(file: file, performance, took: Clock.monotonicNow - start)
    if !outcome.isGood, !updates || outcome.kind != .differs {
      outcome.timeline = TimelineFile.ofFailure(
        director.stage.timeline.finish(title: "baton run --simulated \(file)"), named: Self.name(of: file),
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
      home: home, isLegacy: world.peerIsLegacy, settings: scenario.settings, narrates: events, pair: pair)
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
      return failed(ScenarioOutcome(file: file, crashed: "a daemon ended: \(error)"), since: start, stage)
    } catch let failure as Wait.Failure {
      // A phone that did not come up cannot be judged.
      let verdict = try? stage.judge()
      return failed(ScenarioOutcome(file: file, noProgress: "\(failure)", verdict), since: start, stage)
    }
  }

  private func failed(_ outcome: ScenarioOutcome, since start: Instant, _ stage: RealStage) -> ScenarioOutcome
  {
    var outcome = outcome
    outcome.took = Clock.monotonicNow - start
    outcome.home = stage.phone.home
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
    guard let keep else { return try RunPlace.make(nil, in: place, named: verb) }
    guard hasSeveral else { return try RunPlace.make(keep, in: place, named: verb) }
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
