import CoreShape
import Heartbeat
import Testing

@testable import Guardrails

/// Parts of a payment are here and wait for the others: what that means for who may sleep, and who may go.
@Suite("A payment that comes in parts") struct MultiPartGuardTests {
  private let leaving: [GuardDirective] = [
    .withdrawWish, .say(PresenceMessage(code: .appPing)), .stopNode(gracefully: true),
  ]

  @Test("P-1.4 Home in the middle of a set: the app stays at work under a named task until it is complete")
  func homeInTheMiddle() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.node(.collecting(true))) == [])
    #expect(app.machine.hasNamedTask)
    #expect(
      app.send(.enteredBackground) == [
        .beginBackgroundTask(1, name: "incoming multi-part payment"), .backgroundDone,
      ])
    #expect(app.machine.place == .staying)
    app.play(.node(.settling(true)), .node(.collecting(false)))
    #expect(app.machine.place == .staying, "the last part settles")
    #expect(app.send(.node(.settling(false))).suffix(3) == leaving[...])
  }

  @Test("P-1.1 After 180 s the app leaves, whatever has come; a lost connection begins nothing anew")
  func bounded() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.collecting(true)))
    let begun = app.now
    app.play(.enteredBackground, .node(.connecting), .node(.established))
    #expect(app.machine.tasks.deadline == begun + .seconds(180))
    app.machine.tasks.endOverdue(at: begun + .seconds(180))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test("What waits under a claim that is lost keeps nobody in the background")
  func fenced() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(
      .node(.collecting(true)), .node(.settling(true)), .rowRead(row(9, .extension), appWantsNode: true))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test("Woken by a silent push, the app is not done because nothing comes for 5 s in the middle of a set")
  func silentPush() {
    var errand = PushErrand()
    let start = Instant(nanoseconds: 0)
    errand.begin(1, time: nil, isEstablished: true, at: start)
    errand.note(.node(.collecting(true)), at: start)
    #expect(errand.deadline == start + .seconds(25))
    errand.note(.node(.collecting(false)), at: start)
    #expect(errand.deadline == start + .seconds(5))
  }

  @Test("The extension is not idle in the middle of a set, and its time is over all the same")
  func extensionIdle() {
    let start = Instant(nanoseconds: 0)
    var service = Service(push: Push(id: 1, reason: .incomingPayment), startedAt: start)
    service.idleEnds = start + .seconds(5)
    #expect(service.endsBy == start + .seconds(5))
    service.isCollecting = true
    #expect(service.endsBy == start + ExtensionMachine.totalTime)
  }

  @Test("The app's wish is granted in the middle of a set: the parts are durable, and the next owner's")
  func handover() {
    var notifier = Driver<ExtensionMachine>.connected(epoch: 8)
    notifier.play(.node(.collecting(true)))
    let directives = notifier.send(.rowRead(row(8, .extension), appWantsNode: true))
    #expect(directives.contains(.acceptNoNewPayment))
    #expect(directives.contains(.stopNode(gracefully: true)))
  }
}
