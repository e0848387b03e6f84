import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// The container was taken away: nothing can be released in good order, so the process ends.
@Suite struct ContainerLossTests {
  private let lost = GuardEvent.containerLost("It is gone.")

  @Test func theAppThatOwnsTheNodeCutsItOffAndEnds() {
    var app = Driver<AppMachine>.claimed()
    let end = app.send(lost)
    #expect(end.prefix(3) == [.withdrawWish, .stopNode(gracefully: false), .dropLock])
    #expect(app.shown.last == .trouble("It is gone."))
    #expect(end.last == .end(.containerLost))
    #expect(app.send(.enteredForeground) == [])
  }

  @Test func anAppInTheBackgroundEndsToo() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    let end = app.send(lost)
    #expect(app.shown.last == .trouble("It is gone."))
    #expect(end.last == .end(.containerLost))
  }

  @Test func anAppThatIsLeavingEndsAtOnce() {
    var app = Driver<AppMachine>.claimed()
    app.play(.enteredBackground)
    let end = app.send(lost)
    #expect(end.contains(.stopNode(gracefully: false)))
    #expect(end.last == .end(.containerLost))
  }

  @Test func theExtensionDeliversEveryTextOnceAndEnds() {
    var notifier = Driver<ExtensionMachine>.claimed()
    notifier.play(.pushArrived(push(2)))
    let end = notifier.send(lost)
    for number: UInt64 in 1...2 {
      let texts = end.filter { if case .deliver(push: number, _) = $0 { true } else { false } }
      #expect(texts.count == 1, "push \(number)")
      #expect(end.contains(.finished(push: number, .containerLost)))
    }
    #expect(end.contains(.stopNode(gracefully: false)))
    #expect(end.contains(.dropLock))
    #expect(end.last == .end(.containerLost))
  }
}
