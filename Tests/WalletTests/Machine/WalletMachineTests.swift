import Ground
import Guardrails
import Testing

@testable import Wallet

/// Which events reach which part of a wallet.
@Suite("The parts of one wallet")
struct WalletMachineTests {
  typealias App = TestWallet<AppMachine>

  private let paid = NodeState(payments: OutgoingPayments(pending: [payment("a")]))

  // MARK: The state of a claim

  @Test func `The node starts from the state read in the claim`() {
    var app = App.claiming()
    app.play(.claimed(claim(8), paid))
    #expect(app.partEvents.contains(.node(.started(claim(8), paid))))
    #expect(app.wallet.node.durableState == paid)
  }

  @Test
  func `If a claim took 10 s, the claim row is read before the node starts from the claim's state`() {
    var app = App.claiming()
    #expect(app.send(.claimed(claim(8), paid), at: 10).first == .container(.readRow))
    #expect(app.wallet.node.isStopped)
    app.play(.guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    #expect(app.partEvents.dropFirst().first == .node(.started(claim(8), paid)))
  }

  @Test
  func `If a claim is lost before the node starts, the state that the claim read is dropped`() {
    func app(_ state: NodeState) -> App {
      var app = App.claiming()
      app.play(.claimed(claim(8), state), at: 10)
      app.play(.guardrail(.rowRead(row(9, .extension), appWantsNode: true)))
      return app
    }
    // The state is no longer in memory: the wallet equals one whose claim read an empty state.
    #expect(app(paid).wallet == app(NodeState()).wallet)
    var next = app(paid)
    next.play(.guardrail(.observed(free(9, .extension))), .claimed(claim(10), NodeState()))
    #expect(next.partEvents.contains(.node(.started(claim(10), NodeState()))))
  }

  @Test
  func `After the node's start the wallet keeps no copy of the claim's state`() throws {
    // After init the node has read the container again, which replaces its earlier state.
    func app(_ state: NodeState) throws -> App {
      var app = App.connecting(8, state)
      try app.establish(NodeState())
      return app
    }
    #expect(try app(paid).wallet == app(NodeState()).wallet)
  }

  @Test func `A fenced node that claims again starts from the new claim's state`() {
    var app = App.connecting(8, paid)
    app.play(.node(.fenced))
    #expect(app.wallet.node.durableState == NodeState())
    let state = NodeState(invoices: [invoice("b")])
    app.play(.guardrail(.observed(free(9, .extension))), .claimed(claim(10), state))
    #expect(app.wallet.node.durableState == state)
  }

  // MARK: Events of the phone

  @Test
  func `Entering the foreground reaches the guard, then the node, then the background work`() {
    var app = App(background: .init())
    app.play(.guardrail(.launched))
    #expect(app.send(.enteredForeground).last == .phone(.submit(.refresh)))
    #expect(
      app.partEvents == [.guardrail(.enteredForeground), .node(.userCame), .background(.enteredForeground)])
    #expect(app.send(.enteredForeground) == [.phone(.submit(.refresh))])
    app.play(.guardrail(.enteredBackground))
    #expect(app.partEvents == [.guardrail(.enteredBackground), .background(.enteredBackground)])
  }

  @Test
  func `A node that pauses between two dials begins the next at once when the user opens the app`() {
    var app = App.connecting()
    let task = TaskBeginning(name: "send", generation: 1)
    app.play(.guardrail(.taskBegan(task)), .guardrail(.enteredBackground), .node(.closed("no route")))
    let orders = app.send(.enteredForeground)
    #expect(orders == [.container(.checkRow), .phone(.endBackgroundTask(1))])
    #expect(app.partEvents == [.guardrail(.enteredForeground), .node(.userCame)])
  }

  @Test func `A network change reaches the guard, then the node`() {
    var app = App.connecting()
    for isThere in [false, true] {
      let orders = app.send(.networkChanged(isThere: isThere))
      #expect(
        app.partEvents.prefix(2)
          == [.guardrail(.networkChanged(isThere: isThere)), .node(.networkChanged(isThere: isThere))])
      #expect(orders.first == .phone(.mayConnect(isThere ? ConnectionTarget.allCases : [])))
      #expect(orders.contains(isThere ? .container(.checkRow) : .wire(.cutOff)))
    }
  }

  @Test
  func `Without configured background tasks foreground and background do not reach the background work`() {
    var app = App()
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    #expect(app.partEvents == [.guardrail(.enteredForeground), .node(.userCame)])
    app.play(.guardrail(.enteredBackground))
    #expect(app.partEvents == [.guardrail(.enteredBackground)])
  }

  @Test func `A deadline reaches only the parts whose deadline it is`() {
    var app = App.connecting(background: .init())
    app.play(.background(.runBegan(.refresh, run: 1)))
    #expect(app.partEvents == [.background(.runBegan(.refresh, run: 1))])
    app.play(.background(.stepDone(run: 1, .busy("blocked"))))
    #expect(app.wallet.deadline == seconds(0.25))
    #expect(app.send(WalletEvent.deadlineReached, at: 0.2) == [] && app.partEvents == [])
    #expect(app.send(WalletEvent.deadlineReached, at: 0.25) == [.container(.lookAtWallet(run: 1))])
    #expect(app.partEvents == [.background(.deadlineReached)])
    app.play(.background(.stepDone(run: 1, .done("epoch 8"))))
    // The node's dial, then the guard's beat.
    #expect(app.wallet.deadline == seconds(1))
    app.play(.deadlineReached, at: 2)
    #expect(app.partEvents.prefix(2) == [.node(.deadlineReached), .guardrail(.deadlineReached)])
  }

  @Test
  func `The background work's submissions, steps, completions and audio are orders to the phone port`() {
    var app = App(background: .init(cleansUp: true, keepsAwakeByAudio: true))
    #expect(
      app.send(.background(.runBegan(.processing, run: 3)))
        == [.phone(.submit(.processing)), .phone(.cleanUp(run: 3))])
    #expect(
      app.send(.background(.stepDone(run: 3, .done("removed 2"))))
        == [.phone(.complete(.processing, run: 3, isSuccess: true, "removed 2"))])
    app.play(.guardrail(.launched))
    #expect(app.send(.enteredForeground).suffix(1) == [.phone(.stopAudio)])
    #expect(app.send(.enteredBackground).contains(.phone(.playAudio)))
  }
}
