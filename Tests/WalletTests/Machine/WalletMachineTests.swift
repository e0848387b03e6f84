import Lightning

@testable import Wallet

/// Which events reach which part of a wallet.
@Suite("The parts of one wallet") struct WalletMachineTests {
  typealias App = TestWallet<AppMachine>

  private let paid = NodeState(payments: OutgoingPayments(pending: [payment("a")]))

  // MARK: The state of a claim

  @Test func `The node starts from the state read in the claim`() {
    var app = App.claiming()
    app.play(.claimed(claim(8), paid))
    #expect(app.partEvents.contains(.node(.started(claim(8), paid))))
    expect(app.wallet.node.durableState, is: paid)
  }

  @Test func `If a claim took 10 s, the claim row is read before the node starts from the claim's state`() {
    var app = App.claiming()
    expect(app.send(.claimed(claim(8), paid), at: 10).first, is: .container(.guardrail(.readRow)))
    #expect(app.wallet.node.isStopped)
    app.play(.guardrail(.rowRead(row(8, .app), appWantsNode: true)))
    expect(app.partEvents.dropFirst().first, is: .node(.started(claim(8), paid)))
  }

  @Test func `If a claim is lost before the node starts, the state that the claim read is dropped`() {
    func app(_ state: NodeState) -> App {
      var app = App.claiming()
      app.play(.claimed(claim(8), state), at: 10)
      app.play(.guardrail(.rowRead(row(9, .extension), appWantsNode: true)))
      return app
    }
    // The state is no longer in memory: the wallet equals one whose claim read an empty state.
    expect(app(paid).wallet, is: app(NodeState()).wallet)
    var next = app(paid)
    next.play(.guardrail(.observed(free(9, .extension))), .claimed(claim(10), NodeState()))
    #expect(next.partEvents.contains(.node(.started(claim(10), NodeState()))))
  }

  @Test func `After the node's start the wallet keeps no copy of the claim's state`() throws {
    // After init the node has read the container again, which replaces its earlier state.
    func app(_ state: NodeState) throws -> App {
      var app = App.connecting(8, state)
      try app.establish(NodeState())
      return app
    }
    expect(try app(paid).wallet, is: try app(NodeState()).wallet)
  }

  @Test func `A fenced node that claims again starts from the new claim's state`() {
    var app = App.connecting(8, paid)
    app.play(.node(.fenced))
    expect(app.wallet.node.durableState, is: NodeState())
    let state = NodeState(invoices: [invoice("b")])
    app.play(.guardrail(.observed(free(9, .extension))), .claimed(claim(10), state))
    expect(app.wallet.node.durableState, is: state)
  }

  // MARK: Events of the phone

  @Test func `Entering the foreground reaches the guard, then the node, then the background work`() {
    var app = App(background: .init())
    app.play(.guardrail(.launched))
    expect(app.send(.enteredForeground).last, is: .phone(.submit(.refresh)))
    expect(
      app.partEvents, is: [.guardrail(.enteredForeground), .node(.userCame), .background(.enteredForeground)])
    expect(app.send(.enteredForeground), is: [.phone(.submit(.refresh))])
    app.play(.guardrail(.enteredBackground))
    expect(app.partEvents, is: [.guardrail(.enteredBackground), .background(.enteredBackground)])
  }

  @Test func `A node that pauses between two dials begins the next at once when the user opens the app`() {
    var app = App.connecting()
    let task = TaskBeginning(name: "send", generation: 1)
    app.play(.guardrail(.taskBegan(task)), .guardrail(.enteredBackground), .node(.closed("no route")))
    let orders = app.send(.enteredForeground)
    expect(orders, is: [.container(.checkRow), .phone(.guardrail(.endBackgroundTask(1)))])
    expect(app.partEvents, is: [.guardrail(.enteredForeground), .node(.userCame)])
  }

  @Test func `A network change reaches the guard, then the node`() {
    var app = App.connecting()
    for isThere in [false, true] {
      let orders = app.send(.networkChanged(isThere: isThere))
      expect(
        app.partEvents.prefix(2),
        is: [.guardrail(.networkChanged(isThere: isThere)), .node(.networkChanged(isThere: isThere))])
      expect(orders.first, is: .phone(.guardrail(.mayConnect(isThere ? ConnectionTarget.allCases : []))))
      #expect(orders.contains(isThere ? .container(.checkRow) : .wire(.cutOff)))
    }
  }

  @Test
  func `Without configured background tasks foreground and background do not reach the background work`() {
    var app = App()
    app.play(.guardrail(.launched), .guardrail(.enteredForeground))
    expect(app.partEvents, is: [.guardrail(.enteredForeground), .node(.userCame)])
    app.play(.guardrail(.enteredBackground))
    expect(app.partEvents, is: [.guardrail(.enteredBackground)])
  }

  @Test func `A deadline reaches only the parts whose deadline it is`() {
    var app = App.connecting(background: .init())
    app.play(.background(.runBegan(.refresh, run: 1)))
    expect(app.partEvents, is: [.background(.runBegan(.refresh, run: 1))])
    app.play(.background(.stepDone(run: 1, .busy("blocked"))))
    expect(app.wallet.deadline, is: seconds(0.25))
    #expect(app.send(WalletEvent.deadlineReached, at: 0.2) == [] && app.partEvents == [])
    expect(app.send(WalletEvent.deadlineReached, at: 0.25), is: [.container(.lookAtWallet(run: 1))])
    expect(app.partEvents, is: [.background(.deadlineReached)])
    app.play(.background(.stepDone(run: 1, .done("epoch 8"))))
    // The node's dial, then the guard's beat.
    expect(app.wallet.deadline, is: seconds(1))
    app.play(.deadlineReached, at: 2)
    expect(app.partEvents.prefix(2), is: [.node(.deadlineReached), .guardrail(.deadlineReached)])
  }

  @Test
  func `The background work's submissions, steps, completions and audio are orders to the phone port`() {
    var app = App(background: .init(cleansUp: true, keepsAwakeByAudio: true))
    expect(
      app.send(.background(.runBegan(.processing, run: 3))),
      is: [.phone(.submit(.processing)), .phone(.cleanUp(run: 3))])
    expect(
      app.send(.background(.stepDone(run: 3, .done("removed 2")))),
      is: [.phone(.complete(.processing, run: 3, isSuccess: true, "removed 2"))])
    app.play(.guardrail(.launched))
    expect(app.send(.enteredForeground).suffix(1), is: [.phone(.stopAudio)])
    #expect(app.send(.enteredBackground).contains(.phone(.playAudio)))
  }
}

/// User requests, from the request to the answer, through all parts of a wallet.
@Suite("A request to the wallet") struct WalletRequestTests {
  typealias App = TestWallet<AppMachine>

  private let tea = payment("0123456789")
  private let task = TaskBeginning(name: "outgoing payment 01234567", generation: 1)
  private let otherDevice = FenceAnswer(accepted: false, highest: 20, container: otherContainer)

  /// In the foreground, refused because another device uses the node; only a user action continues.
  private func halted() -> App {
    var app = App.connecting()
    app.play(.node(.dialled), .node(.received(.fenceAnswer(otherDevice))))
    app.play(.guardrail(.rowRead(row(8, .app), appWantsNode: false)))
    return app
  }

  @Test
  func `A payment refused because the app does not hold the node ends its task and may be requested again`() {
    var app = App()
    app.play(.guardrail(.launched))
    for generation in [1, 2] as [UInt64] {
      let task = TaskBeginning(name: task.name, generation: generation)
      let sentence = "the wallet does not hold its node now; open the app and try again"
      // Without its node the wallet does not read the container.
      expect(
        app.send(.requests(.asked("\(generation)", .payment(tea)))),
        is: [.phone(.answer("\(generation)", .refused(.payment, sentence)))])
      expect(
        app.partEvents.filter { if case .guardrail = $0 { true } else { false } },
        is: [.guardrail(.taskBegan(task)), .guardrail(.taskEnded(task))])
      expect(app.wallet.guardrail.taskNames, is: [])
    }
  }

  @Test func `If another device uses the node, the refusal of a request says so`() {
    var app = halted()
    let sentence =
      "the wallet does not hold its node now: this node is in use by another device; `baton restore` moves it here"
    expect(
      app.send(.requests(.asked("1", .payment(tea)))),
      is: [.phone(.answer("1", .refused(.payment, sentence)))])
    expect(
      app.send(.requests(.asked("2", .withdrawal(spliceRequest)))),
      is: [.phone(.answer("2", .refused(.withdrawal, sentence)))])
    app.play(.requests(.asked("3", invoiceRequest)))
    expect(
      app.send(.requests(.invoiceMade("3", invoice("a")))),
      is: [.phone(.answer("3", .refused(.invoice, sentence)))])
  }

  @Test func `Before a payment the container is read, and an invoice paid already is refused`() throws {
    var app = try App.connected()
    expect(app.send(.requests(.asked("1", .payment(tea)))), is: [.container(.readPast(tea.paymentHash))])
    expect(app.wallet.guardrail.taskNames, is: [task.name])
    let sentence = "this invoice is paid already; ask for a new one"
    expect(
      app.send(.requests(.pastRead(tea.paymentHash, .paid))),
      is: [.phone(.answer("1", .refused(.payment, sentence)))])
    expect(app.wallet.guardrail.taskNames, is: [])
  }

  @Test func `An invoice is made by the phone, written under the claim, then answered`() {
    var app = App.connecting()
    expect(
      app.send(.requests(.asked("1", invoiceRequest))),
      is: [.phone(.makeInvoice("1", amountMsat: 1000, text: "tea", expirySeconds: 60))])
    expect(
      app.send(.requests(.invoiceMade("1", invoice("a")))),
      is: [.container(.write(NodeChange(newInvoice: invoice("a")), under: claim(8)))])
    expect(app.send(.node(.written)), is: [.phone(.answer("1", .invoice(paymentHash: hash("a"))))])
  }

  @Test func `A cancellation is written under the claim, then answered`() {
    let request = WalletEvent.requests(.asked("1", .cancellation(of: hash("a"))))
    var app = App.connecting(8, NodeState(invoices: [invoice("a")]))
    expect(app.send(request), is: [.container(.write(NodeChange(cancelled: hash("a")), under: claim(8)))])
    expect(app.send(.node(.written)), is: [.phone(.answer("1", .cancelled(paymentHash: hash("a"))))])
    expect(app.send(request), is: [.phone(.answer("1", .refused(.cancellation, NodeMachine.notOpen)))])
  }

  @Test func `The background task of a payment that is no longer pending ends when the node starts`() throws {
    let tea = payment("0123456789")
    let pending = NodeState(payments: OutgoingPayments(pending: [tea]))
    var app = App.connecting(8, pending)
    app.play(.requests(.asked("1", .payment(tea))))
    app.play(.requests(.node(.begun(.payment(tea.paymentHash)))))
    app.play(.node(.fenced), .guardrail(.observed(free(9, .extension))))
    expect(app.wallet.guardrail.taskNames, is: [task.name])
    var again = app
    again.play(.claimed(claim(10), pending))
    expect(again.wallet.guardrail.taskNames, is: [task.name])
    app.play(.claimed(claim(10), NodeState()))
    expect(
      app.partEvents,
      is: [
        .guardrail(.claimed(claim(10))), .node(.started(claim(10), NodeState())),
        .requests(.node(.goesOn(payments: [], splice: nil))), .guardrail(.node(.connecting)),
        .guardrail(.taskEnded(task)),
      ])
    expect(app.wallet.guardrail.taskNames, is: [])
  }

  // MARK: Moving the wallet into this container

  @Test func `A requested move replaces the other device, and is answered when the app is connected`() throws
  {
    var app = halted()
    let orders = app.send(.requests(.asked("1", .move)))
    #expect(
      orders.contains(.container(.guardrail(.look))) && orders.contains(.phone(.guardrail(.show(.claiming)))))
    #expect(!orders.contains { $0.isAnswer })
    app.play(.guardrail(.observed(free(8, .app))), .claimed(claim(9), NodeState()))
    app.play(.guardrail(.rowRead(row(9, .app), appWantsNode: true)), .node(.rowRead(row(9, .app))))
    app.play(.node(.dialled))
    #expect(
      app.send(.node(.received(.fenceAnswer(otherDevice)))).contains(
        .container(
          .guardrail(
            .raiseEpoch(
              claim(9), above: 20, replacing: ReplacedClaim(epoch: 20, container: otherDevice.container))))))
    app.play(.claimed(claim(21), NodeState()), .guardrail(.rowRead(row(21, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(21, .app))))
    expect(
      try app.establish(NodeState()).filter(\.isAnswer),
      is: [
        .phone(.answer("1", .connected(21, hasMoved: true)))
      ])
  }

  @Test func `A connected app answers a move request at once: connected, and nothing moved`() throws {
    var app = try App.connected()
    expect(
      app.send(.requests(.asked("1", .move))), is: [.phone(.answer("1", .connected(8, hasMoved: false)))])
  }

  @Test func `A background app refuses a move request at once with the status that it shows`() {
    var app = halted()
    app.play(.guardrail(.enteredBackground))
    expect(
      app.send(.requests(.asked("1", .move))),
      is: [.phone(.answer("1", .refused(.move, Status.usedByAnotherDevice.text)))])
  }

  @Test func `A move request is refused with the reason if the app's claim fails`() {
    var app = halted()
    app.play(.requests(.asked("1", .move)), .guardrail(.observed(free(8, .app))))
    let orders = app.send(.guardrail(.claimFailed(.failed("The disk is full."))))
    expect(
      orders,
      is: [
        .phone(.guardrail(.show(.trouble("The disk is full.")))),
        .phone(.answer("1", .refused(.move, "The disk is full."))),
      ])
  }
}

extension WalletDirective {
  fileprivate var isAnswer: Bool { if case .phone(.answer) = self { true } else { false } }
}
