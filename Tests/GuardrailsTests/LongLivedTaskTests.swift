@testable import Guardrails

/// The app enters the background while a payment, a splice or a named task is pending.
@Suite("Long-lived tasks") struct LongLivedTaskTests {
  private let start = Instant(nanoseconds: 0)
  private let send = TaskBeginning(name: "send 5 sat", generation: 1)
  private let timeAsked: [GuardDirective] = [
    .beginBackgroundTask(1, name: "send 5 sat"), .backgroundDone,
  ]
  private let leaving: [GuardDirective] = [
    .withdrawIntent, .say(PresenceMessage(code: .appPing)), .stopNode(gracefully: true),
  ]
  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: false)

  /// The app's directives after its last read of the row.
  private func released(_ task: UInt64 = 1) -> [GuardDirective] {
    [
      .beat(epoch: 8, phase: .released, counter: 4), .dropLock, .settle,
      .say(PresenceMessage(code: .appUnavailable, released: 8)), .endBackgroundTask(task),
    ]
  }

  @Test(.shows("P-1.1", "P-1.2"))
  func `Going home during an outgoing payment keeps the node until the payment ends`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.send(.taskBegan(send)), is: [])
    expect(app.send(.enteredBackground), is: timeAsked)
    expect(app.machine.place, is: .staying)
    expect(app.send(.taskEnded(send)), is: leaving)
    expect(app.send(.node(.stopped)), is: [.readRow])
    expect(app.send(owned), is: released())
    expect(app.machine.place, is: .background)
  }

  @Test(.shows("P-1.4")) func `A settling payment holds the node in the background until it is settled`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.settling)))
    expect(app.send(.enteredBackground), is: [.beginBackgroundTask(1), .backgroundDone])
    expect(app.send(.node(.busy(.nothing))).suffix(3), is: leaving[...])
  }

  @Test
  func `The task of a settling payment survives a lost connection, until the node reports the payment's end`()
  {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.settling)), owned, .node(.connecting), owned)
    expect(app.machine.tasks.count, is: 1)
    app.play(.node(.established))
    expect(app.send(owned), is: [.beat(epoch: 8, phase: .settling, counter: 6)])
    app.play(.node(.busy(.nothing)))
    expect(app.send(owned), is: [.beat(epoch: 8, phase: .established, counter: 7)])
    #expect(app.machine.tasks.isEmpty)
  }

  @Test func `A restarted node has no activity until it reports one`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)), .node(.connecting), owned)
    app.play(.node(.refused(highest: 20, container: container)))
    #expect(app.machine.tasks.isEmpty, "the node is closed")
    #expect(app.send(.claimed(claim(21))).contains(.startNode(claim(21))))
    #expect(app.machine.tasks.isEmpty && app.machine.ownership.activity == .nothing)
  }

  @Test
  func `A splice's task given up after 180 s does not begin again when a settling payment is reported`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)), owned)
    app.play(.deadlineReached, owned, at: 180)
    #expect(app.machine.tasks.isEmpty)
    app.play(.node(.busy(NodeActivity(isSettling: true, isSplicing: true))), owned)
    expect(app.machine.tasks.held.map(\.task), is: [.settling])
    app.play(.node(.busy(.splicing)), owned)
    #expect(app.machine.tasks.isEmpty)
  }

  @Test
  func `When its background task expires, the app gives up its long-lived tasks and releases the node`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(send), .enteredBackground)
    expect(app.send(.backgroundTimeExpired(task: 7)), is: [], "another background task's number")
    expect(app.send(.backgroundTimeExpired(task: 1)), is: leaving)
    app.play(.node(.stopped))
    expect(app.send(owned), is: released())
    expect(app.send(.taskEnded(send)), is: [])
  }

  @Test(.shows("P-1.1")) func `A task is given up after 180 s`() {
    var tasks = LongLivedTasks()
    tasks.begin(.named("send"), at: start)
    expect(tasks.deadline, is: start + .seconds(180))
    tasks.endOverdue(at: start + .milliseconds(179_999))
    #expect(!tasks.isEmpty)
    tasks.endOverdue(at: start + .seconds(180))
    #expect(tasks.isEmpty)
  }

  @Test func `A task begun twice counts once, and an end must match its generation`() {
    var tasks = LongLivedTasks()
    tasks.begin(.named("send"), generation: 1, at: start)
    tasks.begin(.named("send"), generation: 2, at: start + .seconds(100))
    expect(tasks.held.count, is: 1)
    tasks.end(.named("send"), generation: 1)
    #expect(!tasks.isEmpty, "a late end of generation 1")
    tasks.endOverdue(at: start + .seconds(200))
    #expect(!tasks.isEmpty, "the time of generation 1 does not count")
    tasks.begin(.named("send"), generation: 1, at: start + .seconds(300))
    tasks.endOverdue(at: start + .seconds(281))
    #expect(tasks.isEmpty, "a late begin of generation 1 changes nothing")
  }

  @Test func `Returning to the foreground before the task ends releases nothing`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(send), .enteredBackground)
    expect(app.send(.enteredForeground), is: [.endBackgroundTask(1)])
    expect(app.send(.taskEnded(send)), is: [])
    expect(
      app.send(.enteredBackground), is: [.beginBackgroundTask(2), .backgroundDone] + leaving,
      "the next background task has a new number")
  }

  @Test func `Another process's claim ends the task of a settling payment`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.settling)), .rowRead(row(9, .extension), appWantsNode: true))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test
  func `An app fenced in the background ends its background task although a long-lived task is pending`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(send), .enteredBackground)
    let directives = app.send(.node(.fenced))
    expect(directives.last, is: .endBackgroundTask(1))
    expect(app.machine.place, is: .background)
  }

  @Test func `taskNames has the app's pending named tasks, not the node's activity`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    let splice = TaskBeginning(name: "splice 1", generation: 1)
    app.play(.taskBegan(send), .taskBegan(splice), .node(.busy(.settling)))
    #expect(app.machine.taskNames == ["send 5 sat", "splice 1"] && app.machine.hasNamedTask)
    app.play(.taskEnded(send))
    expect(app.machine.taskNames, is: ["splice 1"])
    app.play(.taskEnded(splice))
    #expect(app.machine.taskNames == [] && !app.machine.hasNamedTask)
    // An activity that no named task covers ended: the app leaves at home.
    app.play(.node(.busy(.nothing)), .enteredBackground)
    expect(app.machine.place, is: .leaving)
  }
}
