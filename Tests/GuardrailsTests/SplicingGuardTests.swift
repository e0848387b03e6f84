import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// Money is half-way out of the channel: what that means for who may sleep, and who may go.
@Suite("A splice that is half-way") struct SplicingGuardTests {
  private let leaving: [GuardDirective] = [
    .withdrawIntent, .say(PresenceMessage(code: .appPing)), .stopNode(gracefully: true),
  ]

  @Test("P-1.4 A splice holds the app awake under its name, and then until the node says that it is over")
  func named() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    let begun = TaskBeginning(name: "splice 7", generation: 1)
    app.play(.taskBegan(begun))
    #expect(app.machine.hasNamedTask)
    #expect(
      app.send(.enteredBackground) == [.beginBackgroundTask(1, name: "splice 7"), .backgroundDone])
    app.play(.node(.busy(.splicing)))
    #expect(app.send(.taskEnded(begun)) == [])
    #expect(app.machine.place == .staying)
    #expect(app.send(.node(.busy(.nothing))).suffix(3) == leaving[...])
  }

  @Test("P-1.4 A splice that an earlier life has left half-way holds the app awake, too, and without a name")
  func found() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)))
    #expect(app.send(.enteredBackground) == [.beginBackgroundTask(1, name: nil), .backgroundDone])
    #expect(app.machine.place == .staying)
    #expect(app.send(.node(.busy(.nothing))).suffix(3) == leaving[...])
  }

  @Test("P-1.1 After 180 s the app leaves: what each new connection says again is no new task")
  func bounded() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.splicing)))
    let begun = app.now
    app.play(.enteredBackground, .node(.connecting), .node(.established), .node(.busy(.splicing)), at: 100)
    #expect(app.machine.tasks.deadline == begun + .seconds(180))
  }

  @Test("What is half-way under a claim that is lost keeps nobody in the background")
  func fenced() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(
      .node(.busy(.splicing)), .node(.busy(.settling)), .rowRead(row(9, .extension), appWantsNode: true))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test("The idle end of the extension waits for it, the total one and a lost connection do not")
  func idle() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), .node(.received(payment)), at: 1)
    #expect(!notifier.send(.deadlineReached, at: 20).contains(.stopNode(gracefully: true)))
    #expect(notifier.play(.node(.busy(.nothing)), at: 21) == [])
    #expect(
      notifier.send(.deadlineReached, at: 21) == [
        .deliver(push: 1, .received(payment)), .stopNode(gracefully: true),
      ])
    notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), .node(.received(payment)), at: 1)
    #expect(notifier.send(.deadlineReached, at: 29.5).contains(.stopNode(gracefully: true)))
    notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), .node(.received(payment)), .node(.connecting), at: 1)
    #expect(notifier.send(.deadlineReached, at: 6).contains(.stopNode(gracefully: true)))
  }

  @Test("A handover does not wait for it")
  func handover() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.splicing)), at: 1)
    let asked = notifier.send(
      .presenceHeard(PresenceMessage(code: .appPong, wantsNode: true, asksForHandover: true)), at: 2)
    #expect(asked.contains(.acceptNoNewPayment) && asked.contains(.stopNode(gracefully: true)))
  }
}
