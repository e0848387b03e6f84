import Ground
import Guardrails
import LightningNode
import Testing

@testable import Wallet

/// Whoever asked hears why, once, and nothing of it is left: it may be asked for again.
@Suite("A request that is refused, or ended by somebody else")
struct RequestRefusalTests {
  private let tea = payment("0123456789")
  private let task = TaskBeginning(name: "outgoing payment 01234567", generation: 1)

  @Test("An invoice that cannot be made is refused") func notMade() {
    var desk = Desk()
    desk.play(.asked("1", invoiceRequest))
    #expect(desk.send(.invoiceNotMade("1", "too long")) == [.answer("1", .refused(.invoice, "too long"))])
    #expect(desk.send(.invoiceMade("1", invoice("a"))) == [])
    #expect(desk.requests.open == [])
  }

  @Test("An invoice that cannot be stored is refused") func notStored() {
    var desk = Desk()
    desk.play(.asked("1", invoiceRequest), .invoiceMade("1", invoice("a")))
    #expect(
      desk.node(.refused(.invoice(hash("a")), .because("The disk is full.")))
        == [.answer("1", .refused(.invoice, "The disk is full."))])
    #expect(desk.node(.begun(.invoice(hash("a")))) == [])
    #expect(desk.requests.open == [])
  }

  @Test("A cancellation that the node refuses is refused, and may be asked for again") func notCancelled() {
    var desk = Desk()
    let (key, again) = (
      RequestKey.cancellation(hash("a")), "the wallet does not hold its node now; open the app and try again"
    )
    for (why, sentence) in [(NodeRefusal.because("paid"), "paid"), (.notHeld, again)] {
      #expect(desk.send(.asked("1", .cancellation(of: hash("a")))).count == 1)
      #expect(desk.node(.refused(key, why)) == [.answer("1", .refused(.cancellation, sentence))])
      #expect(desk.node(.begun(key)) == [] && desk.requests.open == [])
    }
  }

  @Test("Sixty-four invoices wait to be stored; one more is refused, until one of them is") func invoicesMax()
  {
    var desk = Desk()
    func ask(_ number: Int) -> [RequestDirective] { desk.send(.asked("\(number)", invoiceRequest)) }
    for number in 1...64 {
      #expect(ask(number).count == 1)
      desk.play(.invoiceMade("\(number)", invoice("\(number)f")))
    }
    let refusal = RequestDirective.answer(
      "65", .refused(.invoice, "64 invoices are already waiting to be stored; try again later"))
    #expect(ask(65) == [refusal])
    // A payment is no invoice.
    #expect(desk.send(.asked("p", .payment(tea))).count == 2)
    #expect(desk.node(.begun(.invoice(hash("7f")))) == [.answer("7", .invoice(paymentHash: hash("7f")))])
    #expect(ask(65) == [.makeInvoice("65", amountMsat: 1000, text: "tea", expirySeconds: 60)])
  }

  @Test("A payment of which the container cannot be asked ends its task, and may be asked for again")
  func pastNotRead() {
    var desk = Desk()
    for (id, generation) in [("1", 1), ("2", 2)] as [(String, UInt64)] {
      let task = TaskBeginning(name: task.name, generation: generation)
      #expect(desk.send(.asked(id, .payment(tea))) == [.beginTask(task), .readPast(tea)])
      #expect(
        desk.send(.pastNotRead(tea.paymentHash, "in use"))
          == [.endTask(task), .answer(id, .refused(.payment, "in use"))])
    }
    #expect(desk.requests.open == [])
  }

  @Test("A payment that the node refuses ends its task, and may be asked for again") func paymentRefused() {
    var desk = Desk()
    desk.play(.asked("1", .payment(tea)), .pastRead(tea.paymentHash, .paid))
    #expect(
      desk.node(.refused(.payment(tea.paymentHash), .because("paid already")))
        == [.endTask(task), .answer("1", .refused(.payment, "paid already"))])
    // Whoever heard that it is refused never hears that it is offered.
    #expect(desk.node(.begun(.payment(tea.paymentHash))) == [])
    #expect(desk.send(.asked("2", .payment(tea))).count == 2)
  }

  @Test("A withdrawal that the node refuses ends its task, and may be asked for again") func spliceRefused() {
    var desk = Desk()
    desk.play(.asked("1", .withdrawal(spliceRequest)))
    #expect(
      desk.node(.refused(.splice(nil), .because("too much")))
        == [
          .endTask(TaskBeginning(name: "splice 1", generation: 1)),
          .answer("1", .refused(.withdrawal, "too much")),
        ])
    #expect(desk.node(.begun(.splice(splice(1).id), splice(1))) == [])
    #expect(desk.send(.asked("2", .withdrawal(spliceRequest))).count == 2)
  }

  @Test("A move that comes to nothing is refused in the words that the app shows") func moveRefused() {
    for status in [Status.usedByAnotherDevice, .trouble("the peer refuses it")] {
      var desk = Desk()
      desk.play(.asked("1", .move), .placeTaken)
      #expect(desk.send(.shown(status)) == [.answer("1", .refused(.move, status.text))])
      #expect(desk.send(.shown(.connected(9))) == [])
    }
  }

  @Test("A refusal for want of the node says why the node is away, and to open the app only where that helps")
  func notHeld() {
    func sentence(_ request: Request, _ status: Status?) -> String? {
      var desk = Desk()
      var key = RequestKey.splice(nil)
      desk.play(.asked("1", request))
      if request == invoiceRequest {
        desk.play(.invoiceMade("1", invoice("a")))
        key = .invoice(hash("a"))
      } else if request == .payment(tea) {
        key = .payment(tea.paymentHash)
      }
      guard
        case .answer("1", .refused(request.kind, let sentence))? = desk.node(.refused(key, .notHeld, status))
          .last
      else { return nil }
      return sentence
    }
    let notHeld = "the wallet does not hold its node now"
    for request in [invoiceRequest, .payment(tea), .withdrawal(spliceRequest)] {
      #expect(
        sentence(request, .usedByAnotherDevice)
          == "\(notHeld): this node is in use by another device; `baton restore` moves it here")
      #expect(sentence(request, .trouble("the peer refuses it")) == "\(notHeld): the peer refuses it")
      let again = request == invoiceRequest ? "ask" : "try"
      for status in [nil, Status.idle] {
        #expect(sentence(request, status) == "\(notHeld); open the app and \(again) again")
      }
    }
  }

  @Test("Another refusal is not mixed with what the app shows") func otherRefusal() {
    var desk = Desk()
    desk.play(.asked("1", .payment(tea)))
    let answer = desk.node(
      .refused(.payment(tea.paymentHash), .because("The disk is full."), .usedByAnotherDevice))
    #expect(answer.last == .answer("1", .refused(.payment, "The disk is full.")))
  }

  @Test("What somebody else has ended has no task any more; what is still in the channel keeps it")
  func endedElsewhere() {
    var desk = Desk()
    desk.begin("1", "1")
    desk.begin("2", "2")
    desk.play(.asked("3", .payment(payment("3"))))
    #expect(
      desk.node(.goesOn(payments: [hash("2"), hash("4")], splice: nil))
        == [.endTask(TaskBeginning(name: "outgoing payment 10000000", generation: 1))])
    #expect(desk.requests.open.map(\.key) == [.payment(hash("2")), .payment(hash("3"))])
    #expect(desk.node(.goesOn(payments: [hash("2")], splice: nil)) == [])
    // Whoever still waits is answered by the node.
    #expect(
      desk.node(.begun(.payment(hash("3"))))
        == [.answer("3", .offered(paymentHash: hash("3"), amountMsat: 1000))])
  }

  @Test("A splice that somebody else has ended has no task any more; one that is half-way keeps it")
  func spliceEndedElsewhere() {
    var desk = Desk()
    let out = splice(1)
    desk.play(.asked("1", .withdrawal(spliceRequest)), .node(.begun(.splice(out.id), out)))
    #expect(desk.node(.goesOn(payments: [], splice: out.id)) == [])
    for other in [nil, splice(2).id] {
      var desk = desk
      #expect(
        desk.node(.goesOn(payments: [], splice: other))
          == [.endTask(TaskBeginning(name: "splice 1", generation: 1))])
      #expect(desk.requests.open == [])
    }
  }

  @Test("An app that starts again begins no task: neither for what has ended, nor for what is still pending")
  func newLife() {
    var desk = Desk()
    #expect(desk.node(.goesOn(payments: [hash("1")], splice: splice(1).id)) == [])
    #expect(desk.requests == Requests())
  }
}
