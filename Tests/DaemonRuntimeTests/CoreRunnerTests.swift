@testable import DaemonRuntime

@Suite struct CoreRunnerTests {
  @Test func `Directives are carried out in order, and before an event that one of them causes`() throws {
    let loop = try EventLoop()
    var log: [String] = []
    var runner: CoreRunner<CounterCore>!
    runner = CoreRunner(configuration: .init(step: 1_000_000_000), loop: loop, clock: Clock(), journal: nil) {
      (directive: CounterCore.Directive) in
      if case .announce(let total, _) = directive {
        log.append("begin \(total)")
        if total < 3 { runner.handle(.counted(by: 1)) }
        log.append("end \(total)")
      }
    }
    runner.handle(.counted(by: 1))
    expect(log, is: ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    expect(runner.eventCount, is: 3)
  }

  @Test func `After an order to end, the core sees neither a queued event nor a new one`() throws {
    let loop = try EventLoop()
    var runner: CoreRunner<CounterCore>!
    runner = CoreRunner(configuration: .init(step: 1_000_000_000), loop: loop, clock: Clock(), journal: nil) {
      (_: CounterCore.Directive) in
      runner.handle(.counted(by: 1))
      loop.stop()
    }
    runner.handle(.counted(by: 1))
    runner.handle(.counted(by: 1))
    expect(runner.eventCount, is: 1)
  }

  @Test func `The core's deadline arrives as an event`() throws {
    let loop = try EventLoop()
    var rang = false
    let runner = CoreRunner<CounterCore>(
      configuration: .init(step: 1_000_000), loop: loop, clock: Clock(), journal: nil
    ) { (directive: CounterCore.Directive) in
      if directive == .ring {
        rang = true
        loop.stop()
      }
    }
    runner.handle(.counted(by: 1))
    try loop.run()
    #expect(rang)
    #expect(runner.core.deadline == nil)
  }

  @Test func `A core whose deadline stays in the past is called only after pauses`() throws {
    struct Stuck: Core {
      struct Nothing: Codable, Hashable, Sendable {}
      static let name = "stuck"
      static let deadlineReached = Nothing()
      var deadline: Instant? = Instant(nanoseconds: 1)
      init(configuration: Nothing) {}
      mutating func handle(_ event: Nothing, at now: Instant) -> [Nothing] { [] }
    }
    let loop = try EventLoop()
    let runner = CoreRunner<Stuck>(configuration: .init(), loop: loop, clock: Clock(), journal: nil) {
      (_: Stuck.Nothing) in
    }
    #expect(try loop.run(for: .seconds(60)) { runner.eventCount == 2 })
    // The second call came a pause after the first: other work runs in between.
    for _ in 0..<1000 { try loop.turn(waitingMilliseconds: 0) }
    #expect(runner.eventCount < 50)
  }

  @Test func `Replaying a journal gives the directives again byte for byte`() throws {
    let directory = TemporaryDirectory()
    let loop = try EventLoop()
    let clock = Clock()
    let journal = try Journal(
      directory: directory("journal"), name: "test", clock: clock, version: "1", arguments: ["a b", "\u{1}"])
    let runner = CoreRunner<CounterCore>(
      configuration: .init(step: 5), loop: loop, clock: clock, journal: journal
    ) { (_: CounterCore.Directive) in }
    for amount: UInt64 in [1, 1, .max, 7] { runner.handle(.counted(by: amount)) }
    runner.handle(.echoed)
    _ = try loop.run(for: .seconds(60)) { runner.core.deadline == nil }

    var core: CounterCore?
    var replayed = 0
    for line in text(ofFile: journal.path).split(separator: "\n") {
      let record = try JSONDecoder().decode(Record.self, from: Data(line.utf8))
      if record.kind == "core" { core = CounterCore(configuration: record.configuration!) }
      guard record.kind == "event", let event = record.event else { continue }
      let directives = core!.handle(event, at: Instant(nanoseconds: record.t))
      let again = try JSONLineEncoder().encode(directives)
      #expect(line.contains("\"directives\":\(again)"))
      #expect(line.contains("\"event\":\(try JSONLineEncoder().encode(event))"))
      replayed += 1
    }
    expect(replayed, is: 6)
    expect(core?.total, is: runner.core.total)
  }

  @Test func `A directive is in the journal before it is carried out`() throws {
    let directory = TemporaryDirectory()
    let clock = Clock()
    let journal = try Journal(
      directory: directory("journal"), name: "test", clock: clock, version: "1", arguments: [])
    var linesAtExecution: [Substring] = []
    let runner = CoreRunner<CounterCore>(
      configuration: .init(step: 1_000_000_000), loop: try EventLoop(), clock: clock, journal: journal
    ) { (_: CounterCore.Directive) in linesAtExecution = text(ofFile: journal.path).split(separator: "\n") }
    runner.handle(.counted(by: 7))
    let directives = try JSONLineEncoder().encode([CounterCore.Directive.announce(total: 7, note: nil)])
    expect(linesAtExecution.last?.contains("\"directives\":\(directives)"), is: true)
  }

  private struct Record: Decodable {
    var kind: String
    var t: Int64
    var configuration: CounterCore.Configuration?
    var event: CounterCore.Event?
  }
}
