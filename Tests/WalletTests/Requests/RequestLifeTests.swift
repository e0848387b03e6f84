import Ground
import Guardrails
import Testing

@testable import Wallet

/// Requests, without a node and a container: the test says what they answer.
struct Desk {
  var requests = Requests()

  mutating func send(_ event: RequestEvent) -> [RequestDirective] { requests.handle(event, at: seconds(0)) }
  mutating func node(_ word: RequestEvent.NodeReply) -> [RequestDirective] { send(.node(word)) }

  /// Several events, of which only the last one's answer matters.
  @discardableResult
  mutating func play(_ events: RequestEvent...) -> [RequestDirective] {
    events.reduce([]) { _, event in send(event) }
  }

  /// In the channel, and answered.
  mutating func begin(_ id: String, _ digits: String) {
    play(.asked(id, .payment(payment(digits))), .node(.begun(.payment(hash(digits)))))
  }
}

/// From the asking to the end: in each step exactly what is ordered, and nothing when the same is said again.
@Suite("One life of a request")
struct RequestLifeTests {
  private func task(_ name: String, _ generation: UInt64 = 1) -> TaskBeginning {
    TaskBeginning(name: name, generation: generation)
  }

  @Test("An invoice is made, stored, and answered when it is durable") func invoiceLife() {
    var desk = Desk()
    #expect(
      desk.send(.asked("1", invoiceRequest))
        == [.makeInvoice("1", amountMsat: 1000, text: "tea", expirySeconds: 60)])
    #expect(desk.send(.invoiceMade("1", invoice("a"))) == [.node(.invoiceMade(invoice("a")))])
    #expect(desk.node(.begun(.invoice(hash("a")))) == [.answer("1", .invoice(paymentHash: hash("a")))])
    #expect(desk.requests.open == [])
    #expect(desk.node(.begun(.invoice(hash("a")))) == [])
    #expect(desk.node(.refused(.invoice(hash("a")), .because("late"))) == [])
  }

  @Test("A cancellation is the node's, needs no task, and is answered when it is durable")
  func cancellationLife() {
    var desk = Desk()
    let request = Request.cancellation(of: hash("a"))
    #expect(desk.send(.asked("1", request)) == [.node(.invoiceCancelRequested(hash("a")))])
    #expect(
      desk.send(.asked("2", request)) == [
        .answer(
          "2", .refused(.cancellation, "this invoice is already being cancelled; wait for the answer"))
      ])
    // What has the node read of the channel ends only what is in the channel.
    #expect(desk.node(.goesOn(payments: [], splice: nil)) == [])
    #expect(desk.node(.begun(.cancellation(hash("b")))) == [])
    #expect(
      desk.node(.begun(.cancellation(hash("a")))) == [.answer("1", .cancelled(paymentHash: hash("a")))])
    #expect(desk.requests.open == [] && desk.node(.begun(.cancellation(hash("a")))) == [])
  }

  @Test("A payment has a task from the asking to its end, and is answered when it is in the channel")
  func paymentLife() {
    var desk = Desk()
    let task = task("outgoing payment 0123abcd")
    let tea = payment("0123abcd99")
    #expect(desk.send(.asked("1", .payment(tea))) == [.beginTask(task), .readPast(tea)])
    #expect(desk.send(.pastRead(tea.paymentHash, .lost)) == [.node(.payRequested(tea, past: .lost))])
    #expect(
      desk.node(.begun(.payment(tea.paymentHash)))
        == [.answer("1", .offered(paymentHash: tea.paymentHash, amountMsat: 1000))])
    #expect(desk.requests.open.map(\.isBegun) == [true])
    #expect(desk.node(.begun(.payment(tea.paymentHash))) == [])
    // What is begun is not given to the node once more, and is not refused.
    #expect(desk.send(.pastRead(tea.paymentHash, nil)) == [])
    #expect(desk.send(.pastNotRead(tea.paymentHash, "late")) == [])
    #expect(desk.node(.refused(.payment(tea.paymentHash), .because("late"))) == [])
    #expect(desk.node(.ended(.payment(tea.paymentHash))) == [.endTask(task)])
    #expect(desk.node(.ended(.payment(tea.paymentHash))) == [])
    #expect(desk.requests.open == [])
  }

  @Test("A withdrawal has a task from the asking to its end, and is answered when the wallet is bound to it")
  func withdrawalLife() {
    var desk = Desk()
    let task = task("splice 12345678")
    let out = splice(1)
    #expect(
      desk.send(.asked("1234567890", .withdrawal(spliceRequest))) == [
        .beginTask(task), .node(.spliceRequested(spliceRequest)),
      ])
    #expect(
      desk.node(.begun(.splice(out.id), out))
        == [.answer("1234567890", .begun(out.id, amountSat: 4000, feeSat: 200))])
    #expect(desk.node(.begun(.splice(out.id), out)) == [])
    #expect(desk.node(.refused(.splice(nil), .because("late"))) == [])
    #expect(desk.node(.ended(.splice(splice(2).id))) == [])
    #expect(desk.node(.ended(.splice(out.id))) == [.endTask(task)])
    #expect(desk.node(.ended(.splice(out.id))) == [])
    #expect(desk.requests.open == [])
  }

  @Test("A move is the guard's, and is answered by what the app shows") func moveLife() {
    var desk = Desk()
    #expect(desk.send(.asked("1", .move)) == [.moveHere])
    for status in [Status.claiming, .connecting(8), .hinderedFromConnecting(8, "no"), .releasing(8)] {
      #expect(desk.send(.shown(status)) == [])
    }
    #expect(desk.send(.placeTaken) == [])
    #expect(desk.send(.shown(.connected(9))) == [.answer("1", .connected(9, hasMoved: true))])
    #expect(desk.send(.shown(.connected(9))) == [])
    #expect(desk.requests.open == [])
  }

  @Test("An app that is left before it is connected has not moved, and a later connection answers nobody")
  func leftMove() {
    var desk = Desk()
    desk.play(.asked("1", .move))
    guard case .answer("1", .refused(.move, _))? = desk.send(.shown(.idle)).first else {
      Issue.record("the move is not answered")
      return
    }
    #expect(desk.send(.shown(.connected(9))) == [])
  }

  @Test("An app that is connected without taking the place of another has not moved") func movedAlready() {
    for status in [Status.connected(8), .settling(8)] {
      var desk = Desk()
      desk.play(.asked("1", .move))
      #expect(desk.send(.shown(status)) == [.answer("1", .connected(8, hasMoved: false))])
    }
  }

  @Test(
    "All who ask to move before it is answered hear the same, and a later one hears of its own move alone")
  func movesTogether() {
    var desk = Desk()
    desk.play(.asked("1", .move), .placeTaken, .asked("2", .move))
    #expect(
      desk.send(.shown(.connected(9)))
        == [.answer("1", .connected(9, hasMoved: true)), .answer("2", .connected(9, hasMoved: true))])
    desk.play(.asked("3", .move))
    #expect(desk.send(.shown(.settling(9))) == [.answer("3", .connected(9, hasMoved: false))])
  }

  @Test("P-1.1 One payment has one task, and each beginning a number of its own") func once() {
    var desk = Desk()
    let tea = payment("0123456789")
    let (first, second) = (task("outgoing payment 01234567"), task("outgoing payment 01234567", 2))
    #expect(desk.send(.asked("1", .payment(tea))).first == .beginTask(first))
    #expect(
      desk.send(.asked("2", .payment(tea)))
        == [.answer("2", .refused(.payment, "this invoice is already being paid; wait for the result"))])
    #expect(desk.node(.ended(.payment(tea.paymentHash))) == [.endTask(first)])
    #expect(desk.send(.asked("3", .payment(tea))).first == .beginTask(second))
  }

  @Test("Two payments whose hashes begin alike have tasks of their own") func alike() {
    var desk = Desk()
    for (id, digits) in [("1", "aaaaaaaa1"), ("2", "aaaaaaaa2"), ("3", "aaaaaaaa21")] {
      desk.begin(id, digits)
    }
    #expect(
      desk.requests.open.compactMap(\.task?.name) == [
        "outgoing payment aaaaaaaa", "outgoing payment aaaaaaaa2", "outgoing payment aaaaaaaa21",
      ])
    #expect(
      desk.node(.ended(.payment(hash("aaaaaaaa2")))) == [.endTask(task("outgoing payment aaaaaaaa2", 2))])
    // The name is free again.
    desk.begin("4", "aaaaaaaa22")
    #expect(desk.requests.open.last?.task == task("outgoing payment aaaaaaaa2", 4))
  }

  @Test("One withdrawal at a time has a task, from the request to its end") func oneWithdrawal() {
    var desk = Desk()
    desk.play(.asked("1", .withdrawal(spliceRequest)))
    let underWay = "money is being taken out of the channel already; wait until that is over"
    #expect(
      desk.send(.asked("2", .withdrawal(spliceRequest))) == [.answer("2", .refused(.withdrawal, underWay))])
    #expect(desk.node(.ended(.splice(splice(1).id))) == [])
    #expect(desk.node(.goesOn(payments: [], splice: nil)) == [])
    desk.play(.node(.begun(.splice(splice(1).id), splice(1))))
    #expect(
      desk.send(.asked("3", .withdrawal(spliceRequest))) == [.answer("3", .refused(.withdrawal, underWay))])
    #expect(desk.node(.ended(.splice(splice(1).id))) == [.endTask(task("splice 1"))])
    #expect(desk.send(.asked("4", .withdrawal(spliceRequest))).first == .beginTask(task("splice 4", 2)))
  }

  @Test("A splice of which the node tells and that nobody has asked for here is nobody's answer")
  func foreign() {
    var desk = Desk()
    #expect(desk.node(.begun(.splice(splice(1).id), splice(1))) == [])
    #expect(desk.node(.begun(.payment(hash("a")))) == [])
    #expect(desk.node(.begun(.invoice(hash("a")))) == [])
    #expect(desk.node(.ended(.splice(splice(1).id))) == [])
    #expect(desk.node(.refused(.splice(nil), .notHeld)) == [])
    #expect(desk.send(.invoiceMade("1", invoice("a"))) == [])
    #expect(desk.send(.invoiceNotMade("1", "no")) == [])
    #expect(desk.requests == Requests())
  }

  @Test("Requests wait for answers, and never for the time") func noTime() {
    var desk = Desk()
    desk.begin("1", "a")
    let before = desk.requests
    #expect(desk.requests.deadline == nil)
    #expect(desk.send(.deadlineReached) == [] && desk.requests == before)
  }
}
