import Ground
import Guardrails
import Lightning
import Testing

@testable import Wallet

/// User requests, from the request to the answer, through all parts of a wallet.
@Suite("A request to the wallet")
struct WalletRequestTests {
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
      #expect(
        app.send(.requests(.asked("\(generation)", .payment(tea))))
          == [.phone(.answer("\(generation)", .refused(.payment, sentence)))])
      #expect(
        app.partEvents.filter { if case .guardrail = $0 { true } else { false } }
          == [.guardrail(.taskBegan(task)), .guardrail(.taskEnded(task))])
      #expect(app.wallet.guardrail.taskNames == [])
    }
  }

  @Test func `If another device uses the node, the refusal of a request says so`() {
    var app = halted()
    let sentence =
      "the wallet does not hold its node now: this node is in use by another device; `baton restore` moves it here"
    #expect(
      app.send(.requests(.asked("1", .payment(tea)))) == [.phone(.answer("1", .refused(.payment, sentence)))])
    #expect(
      app.send(.requests(.asked("2", .withdrawal(spliceRequest))))
        == [.phone(.answer("2", .refused(.withdrawal, sentence)))])
    app.play(.requests(.asked("3", invoiceRequest)))
    #expect(
      app.send(.requests(.invoiceMade("3", invoice("a"))))
        == [.phone(.answer("3", .refused(.invoice, sentence)))])
  }

  @Test func `Before a payment the container is read, and an invoice paid already is refused`() throws {
    var app = try App.connected()
    #expect(
      app.send(.requests(.asked("1", .payment(tea)))) == [.container(.readPast(tea.paymentHash))])
    #expect(app.wallet.guardrail.taskNames == [task.name])
    let sentence = "this invoice is paid already; ask for a new one"
    #expect(
      app.send(.requests(.pastRead(tea.paymentHash, .paid)))
        == [.phone(.answer("1", .refused(.payment, sentence)))])
    #expect(app.wallet.guardrail.taskNames == [])
  }

  @Test
  func `An invoice is made by the phone, written under the claim, then answered`() {
    var app = App.connecting()
    #expect(
      app.send(.requests(.asked("1", invoiceRequest)))
        == [.phone(.makeInvoice("1", amountMsat: 1000, text: "tea", expirySeconds: 60))])
    #expect(
      app.send(.requests(.invoiceMade("1", invoice("a"))))
        == [.container(.write(NodeChange(newInvoice: invoice("a")), under: claim(8)))])
    #expect(app.send(.node(.written)) == [.phone(.answer("1", .invoice(paymentHash: hash("a"))))])
  }

  @Test func `A cancellation is written under the claim, then answered`() {
    let request = WalletEvent.requests(.asked("1", .cancellation(of: hash("a"))))
    var app = App.connecting(8, NodeState(invoices: [invoice("a")]))
    #expect(app.send(request) == [.container(.write(NodeChange(cancelled: hash("a")), under: claim(8)))])
    #expect(app.send(.node(.written)) == [.phone(.answer("1", .cancelled(paymentHash: hash("a"))))])
    #expect(app.send(request) == [.phone(.answer("1", .refused(.cancellation, NodeMachine.notOpen)))])
  }

  @Test
  func `The background task of a payment that is no longer pending ends when the node starts`() throws {
    let tea = payment("0123456789")
    let pending = NodeState(payments: OutgoingPayments(pending: [tea]))
    var app = App.connecting(8, pending)
    app.play(.requests(.asked("1", .payment(tea))))
    app.play(.requests(.node(.begun(.payment(tea.paymentHash)))))
    app.play(.node(.fenced), .guardrail(.observed(free(9, .extension))))
    #expect(app.wallet.guardrail.taskNames == [task.name])
    var again = app
    again.play(.claimed(claim(10), pending))
    #expect(again.wallet.guardrail.taskNames == [task.name])
    app.play(.claimed(claim(10), NodeState()))
    #expect(
      app.partEvents == [
        .guardrail(.claimed(claim(10))), .node(.started(claim(10), NodeState())),
        .requests(.node(.goesOn(payments: [], splice: nil))), .guardrail(.node(.connecting)),
        .guardrail(.taskEnded(task)),
      ])
    #expect(app.wallet.guardrail.taskNames == [])
  }

  // MARK: Moving the wallet into this container

  @Test func `A requested move replaces the other device, and is answered when the app is connected`()
    throws
  {
    var app = halted()
    let orders = app.send(.requests(.asked("1", .move)))
    #expect(orders.contains(.container(.look)) && orders.contains(.phone(.show(.claiming))))
    #expect(!orders.contains { $0.isAnswer })
    app.play(.guardrail(.observed(free(8, .app))), .claimed(claim(9), NodeState()))
    app.play(.guardrail(.rowRead(row(9, .app), appWantsNode: true)), .node(.rowRead(row(9, .app))))
    app.play(.node(.dialled))
    #expect(
      app.send(.node(.received(.fenceAnswer(otherDevice)))).contains(
        .container(
          .raiseEpoch(
            claim(9), above: 20, replacing: ReplacedClaim(epoch: 20, container: otherDevice.container)))))
    app.play(.claimed(claim(21), NodeState()), .guardrail(.rowRead(row(21, .app), appWantsNode: true)))
    app.play(.node(.rowRead(row(21, .app))))
    #expect(
      try app.establish(NodeState()).filter(\.isAnswer) == [
        .phone(.answer("1", .connected(21, hasMoved: true)))
      ])
  }

  @Test func `A connected app answers a move request at once: connected, and nothing moved`() throws {
    var app = try App.connected()
    #expect(
      app.send(.requests(.asked("1", .move))) == [.phone(.answer("1", .connected(8, hasMoved: false)))])
  }

  @Test
  func `A background app refuses a move request at once with the status that it shows`() {
    var app = halted()
    app.play(.guardrail(.enteredBackground))
    #expect(
      app.send(.requests(.asked("1", .move)))
        == [.phone(.answer("1", .refused(.move, Status.usedByAnotherDevice.text)))])
  }

  @Test func `A move request is refused with the reason if the app's claim fails`() {
    var app = halted()
    app.play(.requests(.asked("1", .move)), .guardrail(.observed(free(8, .app))))
    let orders = app.send(.guardrail(.claimFailed(.failed("The disk is full."))))
    #expect(
      orders == [
        .phone(.show(.trouble("The disk is full."))),
        .phone(.answer("1", .refused(.move, "The disk is full."))),
      ])
  }
}

extension WalletDirective {
  fileprivate var isAnswer: Bool { if case .phone(.answer) = self { true } else { false } }
}
