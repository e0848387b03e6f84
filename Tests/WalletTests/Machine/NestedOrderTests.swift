import Heartbeat
import Lightning

@testable import Wallet

/// One event gives one list of orders; its order keeps the two processes apart.
@Suite("The order of a wallet's decisions and orders") struct NestedOrderTests {
  typealias App = TestWallet<AppMachine>

  private let mine = GuardEvent.rowRead(row(8, .app), appWantsNode: true)
  private let lost = GuardEvent.rowRead(row(9, .extension), appWantsNode: true)
  private let withdrawn: [WalletDirective] = [
    .container(.guardrail(.withdrawIntent)), .phone(.guardrail(.say(PresenceMessage(code: .appPing)))),
  ]
  private let gone: [WalletDirective] = [
    .phone(.guardrail(.say(PresenceMessage(code: .appUnavailable, released: 8)))),
    .phone(.guardrail(.show(.idle))),
  ]

  private func connects(_ status: Status) -> [WalletDirective] {
    [.phone(.guardrail(.show(status))), .phone(.guardrail(.mayConnect(ConnectionTarget.allCases)))]
  }

  private func barred(_ status: Status) -> [WalletDirective] {
    [.phone(.guardrail(.show(status))), .phone(.guardrail(.mayConnect([.electrum, .http, .tor])))]
  }

  @Test
  func `The node's orders replace the guard's start directive; then the node's report reaches the guard`() {
    var app = App.claiming()
    // The beat precedes the dial; the guard answers the report after its own list and the node's.
    expect(
      app.send(.claimed(claim(8), NodeState())),
      is: [.container(.guardrail(.beat(epoch: 8, phase: .claimed, counter: 1))), .container(.checkRow)]
        + connects(.connecting(8)) + [.container(.guardrail(.readRow))])
    expect(
      app.partEvents,
      is: [
        .guardrail(.claimed(claim(8))), .node(.started(claim(8), NodeState())),
        .guardrail(.node(.connecting)),
      ])
  }

  @Test func `The state that the claim read is in the journal once, and a changed one again`() throws {
    let known = NodeState(
      channel: try Channel(id: hash("2"), localMsat: 0, remoteMsat: 5000, isOpener: false))
    for read in [known, NodeState()] {
      var app = App.connecting(8, known)
      app.play(.node(.dialled), .node(.received(.initMessage(InitMessage()))))
      app.play(.node(.checkedAfterInit(row(8, .app), read)))
      #expect(app.partEvents.contains(.node(.checkedAfterInit(row(8, .app), read == known ? nil : read))))
    }
  }

  @Test func `The node's own orders replace the guard's stop directive`() throws {
    var app = try App.connected()
    expect(
      app.send(.enteredBackground),
      is: [.phone(.guardrail(.beginBackgroundTask(1, name: nil))), .phone(.guardrail(.backgroundDone))]
        + withdrawn
        + [.wire(.hangUp), .phone(.guardrail(.show(.releasing(8)))), .phone(.guardrail(.mayConnect([])))])
    app = App.connecting()
    expect(
      app.send(.enteredBackground),
      is: [.phone(.guardrail(.beginBackgroundTask(1, name: nil))), .phone(.guardrail(.backgroundDone))]
        + withdrawn
        + [
          .wire(.cutOff), .phone(.guardrail(.show(.releasing(8)))), .phone(.guardrail(.mayConnect([]))),
          .container(.guardrail(.readRow)),
        ])
    expect(
      app.partEvents,
      is: [
        .guardrail(.enteredBackground), .node(.stopRequested(gracefully: true)), .guardrail(.node(.stopped)),
      ])
  }

  @Test func `The node's reports reach the guard in order, after the node's list of orders is complete`() {
    var app = App.connecting()
    // The dial's deadline: one second.
    expect(
      app.send(WalletEvent.deadlineReached, at: 1),
      is: [
        .wire(.cutOff),
        .phone(.guardrail(.show(.hinderedFromConnecting(8, "the peer did not answer the dial")))),
      ])
    expect(
      app.partEvents,
      is: [
        .node(.deadlineReached), .guardrail(.node(.trouble("the peer did not answer the dial"))),
        .guardrail(.node(.connecting)),
      ])
  }

  @Test
  func `After a fence or the container's loss the connection is cut off before the role lock is dropped`()
    throws
  {
    for event in [lost, .containerLost("gone"), .node(.fenced)] {
      var app = try App.connected()
      app.play(.deadlineReached, at: 2)
      let orders = app.send(event)
      let cut = try #require(orders.firstIndex(of: .wire(.cutOff)), "\(event)")
      let drop = try #require(orders.firstIndex(of: .container(.guardrail(.dropLock))), "\(event)")
      #expect(cut < drop, "\(event)")
    }
    var app = try App.connected()
    app.play(.deadlineReached, at: 2)
    expect(
      app.send(lost),
      is: [.wire(.cutOff), .container(.guardrail(.dropLock)), .container(.guardrail(.look))]
        + barred(.claiming))
  }

  @Test func `A node that does not stop in time is cut off before the claim row is read for the last beat`()
    throws
  {
    var app = try App.connected()
    app.play(.guardrail(.enteredBackground))
    // The node's own limit is shorter, but was not reached here.
    expect(
      app.send(GuardEvent.deadlineReached, at: 3), is: [.wire(.cutOff), .container(.guardrail(.readRow))])
  }

  @Test func `A node that the peer refuses closes its connection before the guard raises the epoch`() {
    var app = App.connecting()
    app.play(.node(.dialled))
    let refusal = FenceAnswer(accepted: false, highest: 20, container: container)
    expect(
      app.send(.node(.received(.fenceAnswer(refusal)))),
      is: [.wire(.cutOff), .container(.guardrail(.raiseEpoch(claim(8), above: 20, replacing: nil)))])
    // It starts again with the state of the new claim.
    let state = NodeState(invoices: [invoice("a")])
    expect(
      app.send(.claimed(claim(21), state)).prefix(2),
      is: [.container(.guardrail(.beat(epoch: 21, phase: .claimed, counter: 3))), .container(.checkRow)])
    expect(app.wallet.node.durableState, is: state)
  }

  @Test func `After the release SQLite's log is checkpointed, and only then the background task ends`() {
    var app = App.connecting()
    app.play(.guardrail(.enteredBackground))
    expect(
      app.send(.rowRead(row(8, .app), appWantsNode: false)),
      is: [
        .container(.guardrail(.beat(epoch: 8, phase: .released, counter: 3))),
        .container(.guardrail(.dropLock)),
      ] + gone
        + [.container(.guardrail(.settle)), .phone(.guardrail(.endBackgroundTask(1)))])
  }

  @Test func `SQLite's log is checkpointed before the process ends and before a silent push is completed`() {
    var app = App.connecting()
    app.play(.guardrail(.terminationRequested))
    let released = GuardEvent.rowRead(row(8, .app), appWantsNode: false)
    expect(
      app.send(released).suffix(2),
      is: [
        .container(.guardrail(.settle)), .phone(.guardrail(.end(.terminated))),
      ])
    app = App()
    app.play(.guardrail(.launched))
    app.play(.guardrail(.silentPushArrived(Push(id: 5, reason: .incomingPayment))))
    app.play(.guardrail(.observed(free(7, .extension))), .claimed(claim(8), NodeState()), .guardrail(mine))
    app.play(.guardrail(.expiryWarned(push: 5)))
    let orders = app.send(released)
    expect(
      orders.suffix(2),
      is: [.container(.guardrail(.settle)), .phone(.guardrail(.completed(push: 5, .failed)))])
    #expect(orders.contains { if case .phone(.guardrail(.noteFailure)) = $0 { true } else { false } })
  }

  @Test
  func `SQLite's log is checkpointed before a push's content is delivered, even if the next push begins`() {
    var notifier = TestWallet<ExtensionMachine>()
    notifier.play(
      .guardrail(.launched), .guardrail(.pushArrived(Push(id: 1, reason: .incomingPayment))),
      .guardrail(.observed(free(7, .app))), .claimed(claim(8), NodeState()),
      .guardrail(.pushArrived(Push(id: 2, reason: .incomingPayment))),
      .guardrail(.expiryWarned(push: 1)))
    let orders = notifier.send(.rowRead(row(8, .extension), appWantsNode: false))
    #expect(orders.contains(.container(.guardrail(.look))))
    expect(
      orders.suffix(3),
      is: [
        .container(.guardrail(.settle)),
        .phone(.guardrail(.deliver(push: 1, .nothingReceived(.incomingPayment)))),
        .phone(.guardrail(.finished(push: 1, .timeWillExpire))),
      ])
  }

  @Test
  func `SQLite's log is checkpointed at a beat that is due while connected, not when the connection is new`()
    throws
  {
    var app = App.connecting()
    try app.establish(NodeState())
    expect(app.send(mine), is: [.container(.guardrail(.beat(epoch: 8, phase: .established, counter: 3)))])
    app.play(.guardrail(.deadlineReached), at: 2)
    expect(
      app.send(mine),
      is: [
        .container(.guardrail(.beat(epoch: 8, phase: .established, counter: 4))),
        .container(.guardrail(.settle)),
      ])
    app = App.connecting()
    app.play(.guardrail(.deadlineReached), at: 2)
    expect(app.send(mine), is: [.container(.guardrail(.beat(epoch: 8, phase: .connecting, counter: 3)))])
  }

  @Test
  func `The guard's directives to hand over and to end a pause between dials reach the node as events`() {
    var app = App.connecting()
    app.play(.guardrail(mine))
    app.play(.node(.closed("no route")))
    app.play(.guardrail(.presenceHeard(PresenceMessage(code: .extensionPing))))
    expect(app.partEvents.prefix(2).last, is: .node(.peerMayBeThere))
    var notifier = TestWallet<ExtensionMachine>()
    notifier.play(
      .guardrail(.launched), .guardrail(.pushArrived(Push(id: 1, reason: .incomingPayment))),
      .guardrail(.observed(free(7, .app))), .claimed(claim(8), NodeState()),
      .guardrail(.rowRead(row(8, .extension), appWantsNode: false)), .guardrail(.node(.established)))
    let ask = PresenceMessage(code: .appPong, wantsNode: true, asksForHandover: true)
    notifier.play(.guardrail(.presenceHeard(ask)))
    expect(
      notifier.partEvents.dropFirst().prefix(2),
      is: [
        .node(.handoverRequested), .node(.stopRequested(gracefully: true)),
      ])
  }
}
