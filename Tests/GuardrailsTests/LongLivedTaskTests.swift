import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// The user goes home while something is under way that must not be left half done.
@Suite("Long-lived tasks") struct LongLivedTaskTests {
  private let start = Instant(nanoseconds: 0)
  private let send = TaskBeginning(name: "send 5 sat", generation: 1)
  private let timeAsked: [GuardDirective] = [
    .beginBackgroundTask(1, name: "send 5 sat"), .backgroundDone,
  ]
  private let leaving: [GuardDirective] = [
    .withdrawIntent, .say(PresenceMessage(code: .appPing)), .stopNode(gracefully: true),
  ]
  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: true)

  /// What the app orders from the answer to its last reading of the row on.
  private func released(_ task: UInt64 = 1) -> [GuardDirective] {
    [
      .beat(epoch: 8, phase: .released, counter: 4), .dropLock,
      .say(PresenceMessage(code: .appUnavailable, released: 8)), .endBackgroundTask(task),
    ]
  }

  @Test(
    "P-1.1, P-1.2 Home right after a payment was sent: the node stays until it has ended, then all is released"
  )
  func outgoingPayment() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.taskBegan(send)) == [])
    #expect(app.send(.enteredBackground) == timeAsked)
    #expect(app.machine.place == .staying)
    #expect(app.send(.taskEnded(send)) == leaving)
    #expect(app.send(.node(.stopped)) == [.readRow])
    #expect(app.send(owned) == released())
    #expect(app.machine.place == .background)
  }

  @Test("P-1.4 A payment that is half-way holds the node in the background, until it is settled")
  func incomingPayment() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.settling)))
    #expect(app.send(.enteredBackground) == [.beginBackgroundTask(1), .backgroundDone])
    #expect(app.send(.node(.busy(.nothing))).suffix(3) == leaving[...])
  }

  @Test("A payment that settles does so over a lost connection, and its end is heard on the next one")
  func settlingOverALostConnection() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.settling)), owned, .node(.connecting), owned)
    #expect(app.machine.tasks.count == 1)
    app.play(.node(.established))
    #expect(app.send(owned) == [.beat(epoch: 8, phase: .settling, counter: 6)])
    app.play(.node(.busy(.nothing)))
    #expect(app.send(owned) == [.beat(epoch: 8, phase: .established, counter: 7)])
    #expect(app.machine.tasks.isEmpty)
  }

  @Test("A node that is started anew is busy with nothing until it says so")
  func startedAnew() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)), .node(.connecting), owned)
    app.play(.node(.refused(highest: 20, container: container)))
    #expect(app.machine.tasks.isEmpty, "its node is closed")
    #expect(app.send(.claimed(claim(21))).contains(.startNode(claim(21))))
    #expect(app.machine.tasks.isEmpty && app.machine.ownership.activity == .nothing)
  }

  @Test("What was given up after 180 s is not taken up again because something else begins or ends")
  func givenUpForGood() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)), owned)
    app.play(.deadlineReached, owned, at: 180)
    #expect(app.machine.tasks.isEmpty)
    app.play(.node(.busy(NodeActivity(isSettling: true, isSplicing: true))), owned)
    #expect(app.machine.tasks.held.map(\.task) == [.settling])
    app.play(.node(.busy(.splicing)), owned)
    #expect(app.machine.tasks.isEmpty)
  }

  @Test("The phone takes the time back: what is under way is given up, and all is released in order")
  func expiry() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(send), .enteredBackground)
    #expect(app.send(.backgroundTimeExpired(task: 7)) == [], "of another asking")
    #expect(app.send(.backgroundTimeExpired(task: 1)) == leaving)
    app.play(.node(.stopped))
    #expect(app.send(owned) == released())
    #expect(app.send(.taskEnded(send)) == [])
  }

  @Test("P-1.1 After 180 s nobody believes any more that a task will end")
  func timeOut() {
    var tasks = LongLivedTasks()
    tasks.begin(.named("send"), at: start)
    #expect(tasks.deadline == start + .seconds(180))
    tasks.endOverdue(at: start + .milliseconds(179_999))
    #expect(!tasks.isEmpty)
    tasks.endOverdue(at: start + .seconds(180))
    #expect(tasks.isEmpty)
  }

  @Test("The same name twice counts once, and an end belongs to its beginning")
  func generations() {
    var tasks = LongLivedTasks()
    tasks.begin(.named("send"), generation: 1, at: start)
    tasks.begin(.named("send"), generation: 2, at: start + .seconds(100))
    #expect(tasks.held.count == 1)
    tasks.end(.named("send"), generation: 1)
    #expect(!tasks.isEmpty, "a late end of the older one")
    tasks.endOverdue(at: start + .seconds(200))
    #expect(!tasks.isEmpty, "the time of the older one")
    tasks.begin(.named("send"), generation: 1, at: start + .seconds(300))
    tasks.endOverdue(at: start + .seconds(281))
    #expect(tasks.isEmpty, "an older beginning that comes late changes nothing")
  }

  @Test("Back in front before the task has ended, nothing was let go of")
  func backInFront() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(send), .enteredBackground)
    #expect(app.send(.enteredForeground) == [.endBackgroundTask(1)])
    #expect(app.send(.taskEnded(send)) == [])
    #expect(
      app.send(.enteredBackground) == [.beginBackgroundTask(2), .backgroundDone] + leaving,
      "the next asking has a number of its own")
  }

  @Test("A payment that was half-way under a claim that is lost keeps nobody in the background later")
  func fencedInFront() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.settling)), .rowRead(row(9, .extension), appWantsNode: true))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test("Who has lost the node while a task was under way has nothing to go on with")
  func fenced() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(send), .enteredBackground)
    let directives = app.send(.node(.fenced))
    #expect(directives.last == .endBackgroundTask(1))
    #expect(app.machine.place == .background)
  }

  @Test("The app says which tasks keep it at work, by their names") func names() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    let splice = TaskBeginning(name: "splice 1", generation: 1)
    app.play(.taskBegan(send), .taskBegan(splice), .node(.busy(.settling)))
    #expect(app.machine.taskNames == ["send 5 sat", "splice 1"] && app.machine.hasNamedTask)
    app.play(.taskEnded(send))
    #expect(app.machine.taskNames == ["splice 1"])
    app.play(.taskEnded(splice))
    #expect(app.machine.taskNames == [] && !app.machine.hasNamedTask)
    // Of what an earlier life has left in the channel nobody tells: home, and it leaves.
    app.play(.node(.busy(.nothing)), .enteredBackground)
    #expect(app.machine.place == .leaving)
  }
}
