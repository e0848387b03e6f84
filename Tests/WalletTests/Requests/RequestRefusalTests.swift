@testable import Wallet

/// A refused request is answered once with the reason, leaves no state, and may be repeated.
@Suite("Refused requests and ended tasks") struct RequestRefusalTests {
  private let tea = payment("0123456789")
  private let task = TaskBeginning(name: "outgoing payment 01234567", generation: 1)

  @Test func `An invoice that cannot be made is refused`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", invoiceRequest))
    expect(fixture.send(.invoiceNotMade("1", "too long")), is: [.answer("1", .refused(.invoice, "too long"))])
    expect(fixture.send(.invoiceMade("1", invoice("a"))), is: [])
    expect(fixture.requests.open, is: [])
  }

  @Test func `An invoice that cannot be stored is refused`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", invoiceRequest), .invoiceMade("1", invoice("a")))
    expect(
      fixture.node(.refused(.invoice(hash("a")), .because("The disk is full."))),
      is: [.answer("1", .refused(.invoice, "The disk is full."))])
    expect(fixture.node(.begun(.invoice(hash("a")))), is: [])
    expect(fixture.requests.open, is: [])
  }

  @Test func `A cancellation refused by the node may be requested again`() {
    var fixture = RequestFixture()
    let (key, again) = (
      RequestKey.cancellation(hash("a")), "the wallet does not hold its node now; open the app and try again"
    )
    for (why, sentence) in [(NodeRefusal.because("paid"), "paid"), (.notHeld, again)] {
      expect(fixture.send(.asked("1", .cancellation(of: hash("a")))).count, is: 1)
      expect(fixture.node(.refused(key, why)), is: [.answer("1", .refused(.cancellation, sentence))])
      #expect(fixture.node(.begun(key)) == [] && fixture.requests.open == [])
    }
  }

  @Test func `At most 64 invoices wait to be stored; one more is refused`() {
    var fixture = RequestFixture()
    func ask(_ number: Int) -> [RequestDirective] { fixture.send(.asked("\(number)", invoiceRequest)) }
    for number in 1...64 {
      expect(ask(number).count, is: 1)
      fixture.play(.invoiceMade("\(number)", invoice("\(number)f")))
    }
    let refusal = RequestDirective.answer(
      "65", .refused(.invoice, "64 invoices are already waiting to be stored; try again later"))
    expect(ask(65), is: [refusal])
    // A payment is no invoice.
    expect(fixture.send(.asked("p", .payment(tea))).count, is: 2)
    expect(fixture.node(.begun(.invoice(hash("7f")))), is: [.answer("7", .invoice(paymentHash: hash("7f")))])
    expect(ask(65), is: [.makeInvoice("65", amountMsat: 1000, text: "tea", expirySeconds: 60)])
  }

  @Test func `A payment whose earlier attempts cannot be read ends its task and may be requested again`() {
    var fixture = RequestFixture()
    for (id, generation) in [("1", 1), ("2", 2)] as [(String, UInt64)] {
      let task = TaskBeginning(name: task.name, generation: generation)
      expect(fixture.send(.asked(id, .payment(tea))), is: [.beginTask(task), .readPast(tea)])
      expect(
        fixture.send(.pastNotRead(tea.paymentHash, "in use")),
        is: [.endTask(task), .answer(id, .refused(.payment, "in use"))])
    }
    expect(fixture.requests.open, is: [])
  }

  @Test func `A payment refused by the node ends its task and may be requested again`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", .payment(tea)), .pastRead(tea.paymentHash, .paid))
    expect(
      fixture.node(.refused(.payment(tea.paymentHash), .because("paid already"))),
      is: [.endTask(task), .answer("1", .refused(.payment, "paid already"))])
    // It may have been stored.
    fixture.play(.asked("2", .payment(tea)), .pastRead(tea.paymentHash, nil))
    expect(
      fixture.node(.refused(.payment(tea.paymentHash), .unknown("the disk"))).last,
      is: .answer("2", .unknown(.payment, "the disk")))
    // A refused request is never answered as offered.
    expect(fixture.node(.begun(.payment(tea.paymentHash))), is: [])
    expect(fixture.send(.asked("2", .payment(tea))).count, is: 2)
  }

  @Test func `A withdrawal refused by the node ends its task and may be requested again`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", .withdrawal(spliceRequest)))
    expect(
      fixture.node(.refused(.splice(nil), .because("too much"))),
      is: [
        .endTask(TaskBeginning(name: "splice 1", generation: 1)),
        .answer("1", .refused(.withdrawal, "too much")),
      ])
    expect(fixture.node(.begun(.splice(splice(1).id), splice(1))), is: [])
    expect(fixture.send(.asked("2", .withdrawal(spliceRequest))).count, is: 2)
  }

  @Test func `A failed move is refused with the status that the app shows`() {
    for status in [Status.usedByAnotherDevice, .trouble("the peer refuses it")] {
      var fixture = RequestFixture()
      fixture.play(.asked("1", .move), .placeTaken)
      expect(fixture.send(.shown(status)), is: [.answer("1", .refused(.move, status.text))])
      expect(fixture.send(.shown(.connected(9))), is: [])
    }
  }

  @Test
  func
    `If the app does not hold the node, a refusal gives the app's status, or, if idle, says to open the app`()
  {
    func sentence(_ request: Request, _ status: Status?) -> String? {
      var fixture = RequestFixture()
      var key = RequestKey.splice(nil)
      fixture.play(.asked("1", request))
      if request == invoiceRequest {
        fixture.play(.invoiceMade("1", invoice("a")))
        key = .invoice(hash("a"))
      } else if request == .payment(tea) {
        key = .payment(tea.paymentHash)
      }
      guard
        case .answer("1", .refused(request.kind, let sentence))? = fixture.node(
          .refused(key, .notHeld, status)
        ).last
      else { return nil }
      return sentence
    }
    let notHeld = "the wallet does not hold its node now"
    for request in [invoiceRequest, .payment(tea), .withdrawal(spliceRequest)] {
      expect(
        sentence(request, .usedByAnotherDevice),
        is: "\(notHeld): this node is in use by another device; `baton restore` moves it here")
      expect(sentence(request, .trouble("the peer refuses it")), is: "\(notHeld): the peer refuses it")
      let again = request == invoiceRequest ? "ask" : "try"
      for status in [nil, Status.idle] {
        expect(sentence(request, status), is: "\(notHeld); open the app and \(again) again")
      }
    }
  }

  @Test func `A refusal by the node does not mention the app's status`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", .payment(tea)))
    let answer = fixture.node(
      .refused(.payment(tea.paymentHash), .because("The disk is full."), .usedByAnotherDevice))
    expect(answer.last, is: .answer("1", .refused(.payment, "The disk is full.")))
  }

  @Test
  func `A begun payment that the node no longer has pending ends its task; a pending one keeps it`() {
    var fixture = RequestFixture()
    fixture.begin("1", "1")
    fixture.begin("2", "2")
    fixture.play(.asked("3", .payment(payment("3"))))
    expect(
      fixture.node(.goesOn(payments: [hash("2"), hash("4")], splice: nil)),
      is: [.endTask(TaskBeginning(name: "outgoing payment 10000000", generation: 1))])
    expect(fixture.requests.open.map(\.key), is: [.payment(hash("2")), .payment(hash("3"))])
    expect(fixture.node(.goesOn(payments: [hash("2")], splice: nil)), is: [])
    // A waiting request is answered by the node.
    expect(
      fixture.node(.begun(.payment(hash("3")))),
      is: [.answer("3", .offered(paymentHash: hash("3"), amountMsat: 1000))])
  }

  @Test
  func `A begun splice that the node no longer has pending ends its task; a pending one keeps it`() {
    var fixture = RequestFixture()
    let out = splice(1)
    fixture.play(.asked("1", .withdrawal(spliceRequest)), .node(.begun(.splice(out.id), out)))
    expect(fixture.node(.goesOn(payments: [], splice: out.id)), is: [])
    for other in [nil, splice(2).id] {
      var fixture = fixture
      expect(
        fixture.node(.goesOn(payments: [], splice: other)),
        is: [.endTask(TaskBeginning(name: "splice 1", generation: 1))])
      expect(fixture.requests.open, is: [])
    }
  }

  @Test func `A restarted app begins no task for payments and splices that the node reports as pending`() {
    var fixture = RequestFixture()
    expect(fixture.node(.goesOn(payments: [hash("1")], splice: splice(1).id)), is: [])
    expect(fixture.requests, is: Requests())
  }
}
