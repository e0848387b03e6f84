import Simulation

@testable import Baton

@Suite("Stories in virtual time", .waits) struct SimulatedScenarioTests {
  private func play(
    _ scenario: Scenario, seed: UInt64, without rules: [Rule] = []
  ) throws -> ScenarioOutcome {
    var settings = WorldSettings()
    settings.without = Rules(rules)
    var director = Director(scenario, on: SimulatedStage(scenario.settings(in: settings).world, seed: seed))
    return ScenarioOutcome(file: scenario.title, try director.run(), took: .zero)
  }

  /// The exit codes over 60 orders of simultaneous events.
  private func codes(_ name: String, without rules: [Rule]) throws -> Set<ExitCode> {
    let story = try Stories.story(name)
    return Set(try (1...60).map { try play(story, seed: $0, without: rules).exitCode })
  }

  @Test func `There are at least 40 stories, each with a title`() throws {
    #expect(Stories.names.count >= 40)
    #expect(Stories.names.filter(Stories.isPlayedEverywhere).count >= 30)
    for name in Stories.names { #expect(try !Stories.story(name).title.isEmpty, "\(name)") }
  }

  @Test(arguments: Stories.names)
  func `A story has its expected answers in 30 orders of simultaneous events`(name: String) throws {
    let story = try Stories.story(name)
    if case .real = story.place { return }
    for seed in UInt64(1)...30 {
      let outcome = try play(story, seed: seed)
      let text = outcome.text(Output(isJSON: false, usesColour: false), nameWidth: 0).joined(separator: "\n")
      guard outcome.kind == .same else {
        Issue.record("seed \(seed): \(text)")
        return
      }
    }
  }

  @Test(arguments: [false, true])
  func `The demo's story has its expected answers in 30 orders of simultaneous events`(isQuick: Bool) throws {
    let story = try ScenarioParser.parse(DemoStory.text(isQuick: isQuick))
    for seed in UInt64(1)...30 { expect(try play(story, seed: seed).kind, is: .same, "seed \(seed)") }
  }

  @Test(arguments: Stories.names)
  func `Every question has an expected answer, and no other line but a refused action has one`(name: String)
    throws
  {
    for step in try Stories.story(name).steps {
      let isQuestion: Bool
      switch step.command {
      case .ask, .verdict: isQuestion = true
      case .given, .make, .wait, .pass: isQuestion = false
      }
      // A refusal of the phone or the app may be expected too.
      if case .make = step.command, step.expected.first?.hasPrefix("cannot be done: ") == true { continue }
      #expect(step.expected.isEmpty != isQuestion, "\(name) line \(step.line)")
    }
  }

  @Test
  func
    `Without fenced-writes a story with a frozen extension ends with exit code 2 in some orders of events`()
    throws
  {
    expect(
      try codes("frozen-in-the-middle-of-five-payments.txt", without: [.fencedWrites]),
      is: [.done, .exclusionOrMoneyBroken])
  }

  @Test
  func
    `Without init-check and state-from-claim a story with many handovers ends with exit code 2 in some orders`()
    throws
  {
    #expect(
      try codes("home-and-back-again-and-again.txt", without: [.initCheck, .stateFromClaim])
        .contains(.exclusionOrMoneyBroken))
  }

  @Test func `Without row-before-beat a story with a thawed extension ends with exit code 3`() throws {
    expect(try codes("frozen-and-thawed.txt", without: [.rowBeforeBeat]), is: [.noProgress])
  }

  @Test func `Without inode-check a story with a replaced lock file ends with exit code 3`() throws {
    expect(try codes("lock-file-replaced.txt", without: [.inodeCheck]), is: [.noProgress])
  }

  @Test func `Without complete-set a story with a part to each process ends with exit code 2`() throws {
    expect(try codes("part-to-each-process.txt", without: [.completeSet]), is: [.exclusionOrMoneyBroken])
  }

  @Test func `Without incarnation a story with an old copy of the database has other answers`() throws {
    expect(try codes("old-copy-put-back.txt", without: [.incarnation]), is: [.differs])
  }
}
