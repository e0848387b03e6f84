@testable import Guardrails

/// Without its container a process cannot release in order, so it ends.
@Suite struct ContainerLossTests {
  private let lost = GuardEvent.containerLost("It is gone.")

  @Test func `An app that holds the node and loses the container stops the node abruptly and ends`() {
    var app = Driver<AppMachine>.claimed()
    let end = app.send(lost)
    expect(end.prefix(3), is: [.withdrawIntent, .stopNode(gracefully: false), .dropLock])
    expect(app.shown.last, is: .trouble("It is gone."))
    expect(end.last, is: .end(.containerLost))
    expect(app.send(.enteredForeground), is: [])
  }

  @Test func `An app in the background shows the loss of the container and ends`() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    let end = app.send(lost)
    expect(app.shown.last, is: .trouble("It is gone."))
    expect(end.last, is: .end(.containerLost))
  }

  @Test func `An app that loses the container while it releases the node stops the node and ends at once`() {
    var app = Driver<AppMachine>.claimed()
    app.play(.enteredBackground)
    let end = app.send(lost)
    #expect(end.contains(.stopNode(gracefully: false)))
    expect(end.last, is: .end(.containerLost))
  }

  /// A failed answer has the same effect as a node that reports the loss.
  @Test func `An answer that the container is lost ends the app`() {
    let trouble = Trouble.lost("It is gone.")
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    expect(app.send(.lookFailed(trouble)).last, is: .end(.containerLost))
    app = .claiming()
    expect(app.send(.claimFailed(trouble)).last, is: .end(.containerLost))
    app = .connected()
    var reported = app
    app.play(.deadlineReached, at: 2)
    reported.play(.deadlineReached, at: 2)
    let end = app.send(.rowReadFailed(trouble))
    #expect(end == reported.send(lost) && end.contains(.dropLock))
    expect(app.shown.last, is: .trouble("It is gone."))
    app = .connected()
    app.play(.node(.connecting), .node(.refused(highest: 20, container: container)))
    expect(
      app.send(.claimFailed(trouble)).last, is: .end(.containerLost), "the raise of the epoch was pending")
  }

  @Test func `An answer that the container is lost finishes the push and ends the extension`() {
    let trouble = Trouble.lost("It is gone.")
    for (event, before) in [
      (GuardEvent.lookFailed(trouble), Driver<ExtensionMachine>.looking()),
      (.claimFailed(trouble), .claiming()), (.rowReadFailed(trouble), .claimed()),
      (.receivedNotRead(trouble, push: 1), .looking()),
    ] {
      var notifier = before
      let end = notifier.send(event)
      #expect(end.contains(.finished(push: 1, .containerLost)) && end.last == .end(.containerLost))
      expect(notifier.shown.last, is: .trouble("It is gone."))
    }
  }

  /// A pending claim is answered before the end.
  @Test
  func `When the node finds the container lost, the app awaits a pending claim's answer before it ends`() {
    var app = Driver<AppMachine>.claiming()
    #expect(app.send(lost).last != .end(.containerLost))
    expect(app.send(.claimFailed(.lost("It is gone."))).last, is: .end(.containerLost))
  }

  @Test func `A silent push is completed as failed, with the loss of the container as the reason`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .silentPushArrived(push(3)))
    let end = app.send(.lookFailed(.lost("It is gone.")))
    #expect(
      end.contains(.noteFailure(.container(.lost("It is gone."))))
        && end.contains(.completed(push: 3, .failed)))
  }

  @Test func `After the loss of the container the extension delivers each push's text once and ends`() {
    var notifier = Driver<ExtensionMachine>.claimed()
    notifier.play(.pushArrived(push(2)))
    let end = notifier.send(lost)
    for number: UInt64 in 1...2 {
      let texts = end.filter { if case .phone(.deliver(push: number, _)) = $0 { true } else { false } }
      expect(texts.count, is: 1, "push \(number)")
      #expect(end.contains(.finished(push: number, .containerLost)))
    }
    #expect(end.contains(.stopNode(gracefully: false)))
    #expect(end.contains(.dropLock))
    expect(end.last, is: .end(.containerLost))
  }
}
