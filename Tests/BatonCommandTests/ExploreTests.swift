import PhonePolicy

@testable import Baton
@testable import Simulation

@Suite("baton explore and baton ablation", .waits) struct ExploreTests {
  private func settings(_ counts: [Allowance: Int], without rules: [Rule] = []) -> ExploreSettings {
    var settings = ExploreSettings()
    settings.bounds = Bounds(counts)
    settings.world.without = Rules(rules)
    return settings
  }

  private func report(_ settings: ExploreSettings, jobs: Int = 1, statesMax: Int = .max) -> ExploreReport {
    ExploreReport(exploring: settings, jobs: jobs, ExploreLimits(states: statesMax))
  }

  private let output = Output(isJSON: false)

  @Test func `An exploration's result does not depend on the number of threads`() {
    func lines(_ jobs: Int) -> [String] {
      // The first line has the duration.
      Array(report(settings([.pushes: 1, .crashes: 1]), jobs: jobs).text(output).dropFirst())
    }
    let one = lines(1)
    expect(one.last?.contains("all states were visited, and no invariant broke"), is: true)
    expect(lines(3), is: one)
  }

  @Test func `Transitions that were never taken are counted for each reason, and the document names them`() {
    let report = report(settings([.pushes: 1]))
    let lines = report.text(output).filter { $0.contains(" never, as ") }
    let counts = lines.compactMap { Int($0.split(separator: " ")[0]) }
    #expect(!lines.isEmpty && counts.reduce(0, +) == report.document.untakenWays.count)
  }

  @Test(
    arguments: [
      ("node", "idle", "preparing", "--start-delay 5s"), ("node", "idle", "offline", "--networks 1"),
      ("node", "mute", "idle", "--copies 1"), ("node", "idle", "readingAgain", "--freezes 1"),
      ("node", "checkingRow", "pausing", "--freezes 1"), ("node", "idle", "pausing", "--cuts 1"),
      ("app", "idle", "ended", "does not swipe the app away"),
      ("app, to the phone", "idle", "terminating", "does not swipe the app away"),
      ("extension, to the phone", "idle", "launching", "starts at once in an exploration"),
      ("extension", "idle", "ended", "--freezes 1"),
      ("app", "idle", "claiming", "more than these bounds allow"),
    ])
  func `The reason of a transition that was never taken names the option that takes it`(
    machine: String, from: String, to: String, word: String
  ) {
    let way = Ways.Way(machine: machine, from: from, to: to, isTaken: false, isDeclared: true)
    #expect(UntakenWays.reason(way).contains(word))
  }

  @Test func `An exploration with more states than its limit gives up, with exit code 6`() {
    let report = report(settings([.pushes: 1, .opens: 1]), statesMax: 50)
    expect(report.exitCode, is: .gaveUp)
    expect(report.text(output).last?.contains("given up"), is: true)
    #expect(report.document.json.contains(#""complete":false"#))
  }

  @Test
  func `A violation is reported with the steps that lead to it, and in JSON with its invariant's number`() {
    let report = report(
      settings([.pushes: 1, .opens: 1, .replacedLocks: 1], without: [.inodeCheck]))
    expect(report.exitCode, is: .exclusionOrMoneyBroken)
    let story = report.findings.first?.story ?? []
    #expect(story.contains { $0.contains("is replaced by a new file") })
    #expect(story.contains { $0.contains("BROKEN") })
    #expect(report.document.json.contains(#""invariant":9"#))
  }

  @Test func `baton explore has an option for each bound, with the bound's default value`() throws {
    let words = Allowance.allCases.map(\.word)
    expect(Set(words).count, is: words.count)
    for declaration in ExploreOptions.declarations.prefix(words.count) {
      let allowance = Allowance.allCases.first { ["--" + $0.word] == declaration.names }
      expect(declaration.defaultValue, is: allowance.map { String(Bounds.standard[$0]) })
    }
  }

  @Test func `The progress of an ablation names the removed rule and the number of seeds run`() {
    var told: [String] = []
    var ablation = Ablation(jobs: 1, seeds: SeedRange(1, 4)) { told.append($0) }
    ablation.begin("1 of 2: without lock")
    ablation.tell(ablation.figures(without: []))
    expect(told.first, is: "1 of 2: without lock")
    expect(told.last, is: "1 of 2: without lock: 4 of 4 seeds")
  }

  @Test func `The ablation page has a row per removed rule, and the text the story of each violation`() {
    let violation = Violation(invariant: .healthyOwnerStays, sentence: "It claims.")
    let finding = Ablation.Finding(
      rules: [.inodeCheck],
      broken: Ablation.Broken(words: "a lock file is replaced", violation: violation, story: ["a story"]),
      figures: SimFigures())
    let silent = Ablation.Finding(rules: [.intentAsState], broken: nil, figures: SimFigures())
    let report = AblationReport(
      findings: [finding, silent], together: [], all: SimFigures(), seeds: SeedRange(1, 9))
    let page = report.markdown
    #expect(
      page.contains { $0.hasPrefix("| `inode-check` |") && $0.contains("A healthy owner is not displaced.") })
    #expect(page.contains { $0.hasPrefix("| `intent-as-state` |") && $0.contains("none in these worlds") })
    expect(report.text.filter { $0 == "a story" }.count, is: 1)
  }

  @Test func `The comparison with other products has a row per kind of fault and a column per product`() {
    let found = ExploreReport.Finding(
      violation: Violation(invariant: .oneDriver, sentence: "Both run."), story: ["so it went"])
    let cells = [
      Comparison.Cell(coordination: .baton, trial: .crash, states: 7, isComplete: true, findings: []),
      Comparison.Cell(coordination: .phoenix, trial: .crash, states: 9, isComplete: false, findings: [found]),
    ]
    let report = ComparisonReport(cells: cells)
    let page = report.markdown
    #expect(page.contains("| | Baton | Phoenix |"))
    #expect(page.contains("| a process is killed | nothing breaks, in all 7 states | both run the node |"))
    #expect(report.text.contains("  Both run.") && report.text.contains("so it went"))
  }

  @Test func `If a group of lines repeats in a story, one line with the count replaces the repetitions`() {
    let folded = Repetition.folded(
      ["a", "b", "c", "b", "c", "b", "c", "d"], by: { $0 }, note: { "\($0) lines, \($1) times, \($2)" })
    expect(folded, is: ["a", "b", "c", "2 lines, 2 times, c", "d"])
    let plain = ["a", "a", "b", "b", "a", "a"]
    expect(Repetition.folded(plain, by: { $0 }, note: { _, _, last in last }), is: plain)
  }
}

@Suite("The limits of an exploration", .waits) struct ExploreLimitsTests {
  private let scratch = TemporaryDirectory()
  /// More states than any test waits for.
  private static let endless = [
    "explore", "--pushes", "2", "--opens", "2", "--crashes", "2", "--copies", "1", "--jobs", "1",
  ]

  @Test func `An exploration that ended early names the limit and its option, or the signal`() {
    let said: [(ExploreLimits.Reached, String, ExitCode)] = [
      (.states(1_234_567), "there are more than 1,234,567 states (--states)", .gaveUp),
      (.time(.seconds(3600)), "the 60 min of --max-minutes have passed", .gaveUp),
      (.memory(16 << 20), "the 16.0 MB of --max-memory are used up", .gaveUp),
      (.interruption(.interrupted), "it was interrupted", .interrupted),
      (.interruption(.terminated), "it was ended by SIGTERM", .terminated),
      (.interruption(.hungUp), "it was ended by SIGHUP", .hungUp),
    ]
    for (reached, sentence, code) in said {
      expect(reached.sentence, is: sentence)
      expect(reached.exitCode, is: code)
    }
  }

  @Test func `Time and memory limits end an exploration`() {
    var limits = ExploreLimits()
    #expect(limits.reached(states: 1 << 40, took: .seconds(1 << 30)) == nil)
    limits.time = .seconds(60)
    #expect(limits.reached(states: 1, took: .seconds(59)) == nil)
    expect(limits.reached(states: 1, took: .seconds(60)), is: .time(.seconds(60)))
    limits.memoryBytes = 1 << 50
    #expect(limits.reached(states: 1, took: .zero) == nil)
    limits.memoryBytes = 1
    expect(limits.reached(states: 1, took: .zero), is: .memory(1))
    #expect(ExploreLimits.standardMemoryBytes > 1 << 24)
    let report = ExploreReport(exploring: ExploreSettings(), jobs: 1, limits)
    #expect(report.exitCode == .gaveUp && report.states < 1000)
  }

  /// Off a terminal it prints progress after a while.
  private func waitUntilAtWork() throws {
    try Wait.until("it to say so", within: .seconds(120)) { scratch.text("said").contains("states a second") }
  }

  /// If SIGHUP were handled, it would be read before SIGINT: its number is lower.
  @Test func `SIGHUP does not end an exploration under nohup`() throws {
    let child = try scratch.start("/usr/bin/nohup", ["\(Started.directory)/baton"] + Self.endless)
    try waitUntilAtWork()
    kill(child.pid, SIGHUP)
    kill(child.pid, SIGINT)
    expect(child.end(), is: .exited(code: 128 + SIGINT))
    #expect(scratch.text("said").contains("it was interrupted"))
  }

  @Test
  func `The example of baton explore --without in its help finds a violation and prints the shortest story`()
    throws
  {
    let example = try #require(ExploreVerb.declaration.examples.first { $0.line.contains("--without") })
    let words = example.line.split(separator: " ").dropFirst().map(String.init)
    let child = try scratch.start("baton", words)
    expect(child.end(), is: .exited(code: 2))
    #expect(scratch.text("said").contains("The shortest story:"))
    #expect(!scratch.text("said").contains("0.000"), "no time where none passes")
  }
}
