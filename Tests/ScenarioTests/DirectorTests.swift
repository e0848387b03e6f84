import Heartbeat

@testable import Baton

/// A stage on which a payment settles after some steps, or never.
private struct PaperStage: ScenarioStage {
  var now = Instant(nanoseconds: 0)
  var broken: String?
  var settlesAfter: TimeSpan?
  var breaksAt: StoryAction?
  var verdict = StageVerdict.sound(settled: 1, failed: 0)
  var actions: [StoryAction] = []
  private var paidAt: Instant?
  private var isAppThere = false

  init(settlesAfter: TimeSpan? = nil) { self.settlesAfter = settlesAfter }

  mutating func begin() {}
  mutating func makeInvoice(_ payment: PlannedPayment) {}
  mutating func makeExternalInvoice(_ invoice: PlannedInvoice) {}
  func hasInvoice(_ number: Int) -> Bool { true }

  mutating func goOn(until: Instant) { now = min(until, now + .seconds(1)) }

  mutating func make(_ action: StoryAction) throws {
    actions.append(action)
    if action == breaksAt { broken = "Two processes drive the node." }
    switch action {
    case .open: isAppThere = true
    case .quit: isAppThere = false
    case .pay: paidAt = now
    case .losePush: throw CannotBeDone("no push is on its way")
    default: break
    }
  }

  func look() -> Scene {
    let isSettled = settlesAfter.map { span in paidAt.map { $0 + span <= now } ?? false } ?? false
    return Scene(
      holder: isAppThere ? .app : nil, newestClaim: .app, epoch: 1,
      app: Scene.Process(
        state: isAppThere ? "foreground" : nil, shows: "connected", isConnected: isAppThere,
        lastEnd: "swiped away"),
      notifier: Scene.Process(),
      payments: paidAt == nil ? [] : [Scene.Payment(number: 1, state: isSettled ? "paid" : "held")],
      receivedTimes: [isSettled ? 1 : 0], isChannelEven: true)
  }

  func judge() -> StageVerdict { verdict }
}

@Suite("Playing a story", .waits) struct DirectorTests {
  @Test func `A process that has never run has not ended: it may be about to start`() {
    var stage = PaperStage()
    #expect(!Condition(until: "the extension has ended").holds(stage.look()))
    #expect(Condition(until: "the app has ended").holds(stage.look()))
    try? stage.make(.open)
    #expect(!Condition(until: "the app has ended").holds(stage.look()))
  }

  private let text = """
    # A payment

    payment 1 of 1000 sat arrives
    # While it is on its way:
    what became of the payments?
      > payment 1 of 1,000 sat: waits for the wallet

    wait until payment 1 has settled
    what became of the payments?
      > payment 1 of 1,000 sat: settled, and the wallet has it once
    the verdict
      > sound: 1 of 1 payment settled, once each, equal on both sides

    """

  private func play(_ text: String, on stage: PaperStage) throws -> (Performance, PaperStage) {
    var director = Director(try ScenarioParser.parse(text), on: stage)
    let performance = try director.run()
    return (performance, director.stage)
  }

  @Test func `A story with matching answers is sound and without differences`() throws {
    let (performance, stage) = try play(text, on: PaperStage(settlesAfter: .seconds(3)))
    #expect(performance.isSound && performance.differences.isEmpty)
    expect(performance.rewritten, is: text)
    expect(stage.actions, is: [.open, .quit, .pay(number: 1)])
  }

  @Test func `A different answer is reported with its line, and the rewritten story keeps its comments`()
    throws
  {
    let wrong = text.replacing("the wallet has it once", with: "the wallet has it twice")
    let (performance, _) = try play(wrong, on: PaperStage(settlesAfter: .seconds(3)))
    expect(performance.differences.map(\.step.line), is: [9])
    expect(performance.rewritten, is: text)
    let bare = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("  >") }
    let filled = try play(bare.joined(separator: "\n"), on: PaperStage(settlesAfter: .seconds(3))).0
    expect(filled.differences.count, is: 3)
    expect(filled.rewritten, is: text)
  }

  @Test func `An answer expected of a line that is no question is a difference`() throws {
    let wrong = text.replacing("arrives\n", with: "arrives\n  > well\n")
    let (performance, _) = try play(wrong, on: PaperStage(settlesAfter: .seconds(3)))
    expect(performance.differences.map(\.step.line), is: [3])
  }

  @Test func `A condition that does not hold within a minute ends the story as timed out`() throws {
    let (performance, stage) = try play(text, on: PaperStage())
    expect(
      performance.verdict, is: .unsettled(["line 8: gave up waiting until payment 1 has settled"]))
    expect(stage.now, is: Instant(nanoseconds: 60_000_000_000))
    #expect(!performance.isSound)
  }

  @Test func `A broken invariant ends the story at the line of the action`() throws {
    var stage = PaperStage(settlesAfter: .seconds(3))
    stage.breaksAt = .pay(number: 1)
    let (performance, _) = try play(text, on: stage)
    expect(performance.verdict, is: .broken(["after line 3: Two processes drive the node."]))
    expect(performance.played.count, is: 1)
  }

  @Test func `If the stage cannot do an action, the reason is the action's answer`() throws {
    let (performance, _) = try play("# x\nthe next push is lost\nthe verdict", on: PaperStage())
    expect(performance.played.first?.said, is: ["cannot be done: no push is on its way"])
  }

  @Test func `A line such as 2500 ms pass moves the clock by that time`() throws {
    let (_, stage) = try play("# x\n2500 ms pass\nthe verdict", on: PaperStage())
    expect(stage.now, is: Instant(nanoseconds: 2_500_000_000))
  }

  @Test func `Process ids in an answer are replaced by the process's role`() {
    let pids: [(pid: Int32, role: Role)] = [(7, .extension), (8, .app)]
    expect(
      Scene.named("blocked: process 7 is stopped inside a transaction", pids),
      is: "blocked: the extension is stopped inside a transaction")
    expect(Scene.named("waiting: process 8 holds the node", pids), is: "waiting: the app holds the node")
    expect(Scene.named("connected", pids), is: "connected")
  }

  @Test func `The verdict's sentence counts settled and failed payments`() {
    expect(
      StageVerdict.sound(settled: 2, failed: 0).sentence,
      is: "sound: 2 of 2 payments settled, once each, equal on both sides")
    expect(StageVerdict.sound(settled: 0, failed: 0).sentence, is: "sound: 0 of 0 payments settled")
    #expect(
      StageVerdict.sound(settled: 1, failed: 1).sentence.hasSuffix("1 failed, and nobody has lost anything"))
    expect(StageVerdict.unsettled(["x"]).sentence, is: "not everything is settled")
  }
}
