@testable import Guardrails

/// How the app and the extension treat a pending splice in the background and at their end.
@Suite("Pending splices") struct SplicingGuardTests {
  private let leaving: [GuardDirective] = [
    .withdrawIntent, .say(PresenceMessage(code: .appPing)), .stopNode(gracefully: true),
  ]

  @Test(.shows("P-1.4"))
  func
    `A background task with the splice's name keeps the app awake until the node reports the splice's end`()
  {
    var app = Driver<AppMachine>.connected(epoch: 8)
    let begun = TaskBeginning(name: "splice 7", generation: 1)
    app.play(.taskBegan(begun))
    #expect(app.machine.hasNamedTask)
    expect(app.send(.enteredBackground), is: [.beginBackgroundTask(1, name: "splice 7"), .backgroundDone])
    app.play(.node(.busy(.splicing)))
    expect(app.send(.taskEnded(begun)), is: [])
    expect(app.machine.place, is: .staying)
    expect(app.send(.node(.busy(.nothing))).suffix(3), is: leaving[...])
  }

  @Test(.shows("P-1.4"))
  func `A splice pending from an earlier process keeps the app awake by an unnamed background task`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)))
    expect(app.send(.enteredBackground), is: [.beginBackgroundTask(1, name: nil), .backgroundDone])
    expect(app.machine.place, is: .staying)
    expect(app.send(.node(.busy(.nothing))).suffix(3), is: leaving[...])
  }

  @Test(.shows("P-1.1"))
  func `The task of a splice ends after 180 s; a repeated report does not restart the time`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)))
    let begun = app.now
    app.play(.enteredBackground, .node(.connecting), .node(.established), .node(.busy(.splicing)), at: 100)
    expect(app.machine.tasks.deadline, is: begun + .seconds(180))
  }

  @Test func `Another process's claim ends the tasks of a splice and a settling payment`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(
      .node(.busy(.splicing)), .node(.busy(.settling)), .rowRead(row(9, .extension), appWantsNode: true))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test func `A splice delays the extension's idle end only while connected, and never its total time`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), .node(.received(payment)), at: 1)
    #expect(!notifier.send(.deadlineReached, at: 20).contains(.stopNode(gracefully: true)))
    expect(notifier.play(.node(.busy(.nothing)), at: 21), is: [])
    expect(
      notifier.release(.deadlineReached, at: 21).suffix(2),
      is: [
        .deliver(push: 1, .received(payment)), .finished(push: 1, .idle),
      ])
    notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), .node(.received(payment)), at: 1)
    #expect(notifier.send(.deadlineReached, at: 29.5).contains(.stopNode(gracefully: true)))
    notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), .node(.received(payment)), .node(.connecting), at: 1)
    #expect(notifier.send(.deadlineReached, at: 6).contains(.stopNode(gracefully: true)))
  }

  @Test func `A handover does not wait for a splice`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), at: 1)
    let asked = notifier.send(
      .presenceHeard(PresenceMessage(code: .appPong, wantsNode: true, asksForHandover: true)), at: 2)
    #expect(asked.contains(.acceptNoNewPayment) && asked.contains(.stopNode(gracefully: true)))
  }
}
