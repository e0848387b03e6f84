import Ground
import Guardrails
import LightningNode
import Testing

@testable import Wallet

/// What reaches which part of a wallet, and with what.
@Suite("The parts of one wallet")
struct WalletMachineTests {
  typealias App = TestWallet<AppMachine>

  private let paid = NodeState(payments: OutgoingPayments(pending: [payment("a")]))

  // MARK: The state of a claim

  @Test("The node starts from the state that was read in the claim") func stateOfTheClaim() {
    var app = App.claiming()
    app.play(.claimed(claim(8), paid))
    #expect(app.thoughts.contains(.node(.started(claim(8), paid))))
    #expect(app.wallet.node.durableState == paid)
  }

  @Test(
    "A claim that comes late is checked by its row first; then the node starts from the claim's state all the same"
  )
  func lateClaim() {
    var app = App.claiming()
    #expect(app.send(.claimed(claim(8), paid), at: 10).first == .container(.readRow))
    #expect(app.wallet.node.isStopped)
    app.play(.guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    #expect(app.thoughts.dropFirst().first == .node(.started(claim(8), paid)))
  }

  @Test(
    "The state of a claim that was lost before the node started is forgotten, and the next claim brings its own"
  )
  func lostClaim() {
    func app(_ state: NodeState) -> App {
      var app = App.claiming()
      app.play(.claimed(claim(8), state), at: 10)
      app.play(.guardrail(.rowRead(row(9, .extension), appWantsNode: true)))
      return app
    }
    // Nothing of it is in memory any more: it cannot be told from one that has read nothing.
    #expect(app(paid).wallet == app(NodeState()).wallet)
    var next = app(paid)
    next.play(.guardrail(.observed(free(9, .extension))), .claimed(claim(10), NodeState()))
    #expect(next.thoughts.contains(.node(.started(claim(10), NodeState()))))
  }

  @Test("From its start on the state of the claim is the node's alone: the wallet keeps no copy of it")
  func noCopy() throws {
    // The node has read the container once more when it has greeted: what it knew before is replaced by that.
    func app(_ state: NodeState) throws -> App {
      var app = App.connecting(8, state)
      try app.greet(NodeState())
      return app
    }
    #expect(try app(paid).wallet == app(NodeState()).wallet)
  }

  @Test("A node that was fenced and claims again starts from the state of its new claim") func afterTheFence()
  {
    var app = App.connecting(8, paid)
    app.play(.node(.fenced))
    #expect(app.wallet.node.durableState == NodeState())
    let state = NodeState(invoices: [invoice("b")])
    app.play(.guardrail(.observed(free(9, .extension))), .claimed(claim(10), state))
    #expect(app.wallet.node.durableState == state)
  }

  // MARK: What the phone says

  @Test("The app comes to the front: the guard hears of it, then the node, then the work in the background")
  func foreground() {
    var app = App(background: .init())
    app.play(.guardrail(.launched))
    #expect(app.send(.enteredForeground).last == .phone(.submit(.refresh)))
    #expect(
      app.thoughts == [.guardrail(.enteredForeground), .node(.userCame), .background(.enteredForeground)])
    #expect(app.send(.enteredForeground) == [.phone(.submit(.refresh))])
    app.play(.guardrail(.enteredBackground))
    #expect(app.thoughts == [.guardrail(.enteredBackground), .background(.enteredBackground)])
  }

  @Test("A node that pauses dials at once when the user comes, behind what the guard orders for that")
  func userCame() {
    var app = App.connecting()
    let task = TaskBeginning(name: "send", generation: 1)
    app.play(.guardrail(.taskBegan(task)), .guardrail(.enteredBackground), .node(.closed("no route")))
    let orders = app.send(.enteredForeground)
    #expect(orders == [.container(.checkRow), .phone(.endBackgroundTask(1))])
    #expect(app.thoughts == [.guardrail(.enteredForeground), .node(.userCame)])
  }

  @Test("The network goes and comes: the guard hears of it, then the node") func network() {
    var app = App.connecting()
    for isThere in [false, true] {
      let orders = app.send(.networkChanged(isThere: isThere))
      #expect(
        app.thoughts.prefix(2)
          == [.guardrail(.networkChanged(isThere: isThere)), .node(.networkChanged(isThere: isThere))])
      #expect(orders.first == .phone(.mayConnect(isThere ? ConnectionTarget.allCases : [])))
      #expect(orders.contains(isThere ? .container(.checkRow) : .wire(.cutOff)))
    }
  }

  @Test("A process without work in the background hears nothing of it") func noBackground() {
    var app = App()
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    #expect(app.thoughts == [.guardrail(.enteredForeground), .node(.userCame)])
    app.play(.guardrail(.enteredBackground))
    #expect(app.thoughts == [.guardrail(.enteredBackground)])
  }

  @Test("A deadline wakes whoever's it is, and nobody else") func deadlines() {
    var app = App.connecting(background: .init())
    app.play(.background(.runBegan(.refresh, run: 1)))
    #expect(app.thoughts == [.background(.runBegan(.refresh, run: 1))])
    app.play(.background(.stepDone(run: 1, .busy("blocked"))))
    #expect(app.wallet.deadline == seconds(0.25))
    #expect(app.send(WalletEvent.deadlineReached, at: 0.2) == [] && app.thoughts == [])
    #expect(app.send(WalletEvent.deadlineReached, at: 0.25) == [.container(.lookAtWallet(run: 1))])
    #expect(app.thoughts == [.background(.deadlineReached)])
    app.play(.background(.stepDone(run: 1, .done("epoch 8"))))
    // The node's dial, then the guard's beat.
    #expect(app.wallet.deadline == seconds(1))
    app.play(.deadlineReached, at: 2)
    #expect(app.thoughts.prefix(2) == [.node(.deadlineReached), .guardrail(.deadlineReached)])
  }

  @Test("Runs of the phone's tasks are completed, and the steps asked for, through the ports")
  func backgroundOrders() {
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
