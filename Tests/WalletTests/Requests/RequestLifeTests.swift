import Crypto
import Lightning

@testable import Wallet

/// Requests alone: the test plays the node and the container.
struct RequestFixture {
  var requests = Requests()

  mutating func send(_ event: RequestEvent) -> [RequestDirective] { requests.handle(event, at: seconds(0)) }
  mutating func node(_ word: RequestEvent.NodeReply) -> [RequestDirective] { send(.node(word)) }

  /// Sends several events. Returns the directives for the last one.
  @discardableResult mutating func play(_ events: RequestEvent...) -> [RequestDirective] {
    events.reduce([]) { _, event in send(event) }
  }

  /// Begins a payment, up to its answer.
  mutating func begin(_ id: String, _ digits: String) {
    play(.asked(id, .payment(payment(digits))), .node(.begun(.payment(hash(digits)))))
  }
}

/// Each step of a request gives exactly its directives, and a repeated event gives none.
@Suite("The life of a request") struct RequestLifeTests {
  private func task(_ name: String, _ generation: UInt64 = 1) -> TaskBeginning {
    TaskBeginning(name: name, generation: generation)
  }

  @Test func `An invoice is made and stored, and its request is answered once it is durable`() {
    var fixture = RequestFixture()
    expect(
      fixture.send(.asked("1", invoiceRequest)),
      is: [.makeInvoice("1", amountMsat: 1000, text: "tea", expirySeconds: 60)])
    expect(fixture.send(.invoiceMade("1", invoice("a"))), is: [.node(.invoiceMade(invoice("a")))])
    expect(fixture.node(.begun(.invoice(hash("a")))), is: [.answer("1", .invoice(paymentHash: hash("a")))])
    expect(fixture.requests.open, is: [])
    expect(fixture.node(.begun(.invoice(hash("a")))), is: [])
    expect(fixture.node(.refused(.invoice(hash("a")), .because("late"))), is: [])
  }

  @Test func `A question about webhooks goes to the node, has no background task, and ends with the answer`()
  {
    for answer: WebhookAnswer? in [.removed, .list(names: ["a"], max: 10), nil] {
      var fixture = RequestFixture()
      expect(
        fixture.send(.asked("1", .webhook(.list, id: "7f"))), is: [.node(.webhookRequested(id: "7f", .list))])
      expect(fixture.node(.answered(.webhook("80"), .removed)), is: [])
      let end =
        answer.map { fixture.node(.answered(.webhook("7f"), $0)) }
        ?? fixture.node(.refused(.webhook("7f"), .because("no")))
      expect(end, is: [.answer("1", answer.map { .webhook($0) } ?? .refused(.webhook, "no"))])
      #expect(fixture.requests.open == [] && fixture.node(.answered(.webhook("7f"), .removed)) == [])
    }
  }

  @Test func `A cancellation goes to the node, has no background task, and is answered once it is durable`() {
    var fixture = RequestFixture()
    let request = Request.cancellation(of: hash("a"))
    expect(fixture.send(.asked("1", request)), is: [.node(.invoiceCancelRequested(hash("a")))])
    expect(
      fixture.send(.asked("2", request)),
      is: [
        .answer(
          "2", .refused(.cancellation, "this invoice is already being cancelled; wait for the answer"))
      ])
    // The node's pending payments and splice do not end a cancellation.
    expect(fixture.node(.goesOn(payments: [], splice: nil)), is: [])
    expect(fixture.node(.begun(.cancellation(hash("b")))), is: [])
    expect(
      fixture.node(.begun(.cancellation(hash("a")))), is: [.answer("1", .cancelled(paymentHash: hash("a")))])
    #expect(fixture.requests.open == [] && fixture.node(.begun(.cancellation(hash("a")))) == [])
  }

  @Test
  func `A payment has a background task to its end; its request is answered once, when it has begun`() {
    var fixture = RequestFixture()
    let task = task("outgoing payment 0123abcd")
    let tea = payment("0123abcd99")
    expect(fixture.send(.asked("1", .payment(tea))), is: [.beginTask(task), .readPast(tea)])
    expect(fixture.send(.pastRead(tea.paymentHash, .lost)), is: [.node(.payRequested(tea, past: .lost))])
    expect(
      fixture.node(.begun(.payment(tea.paymentHash))),
      is: [.answer("1", .offered(paymentHash: tea.paymentHash, amountMsat: 1000))])
    expect(fixture.requests.open.map(\.isBegun), is: [true])
    expect(fixture.node(.begun(.payment(tea.paymentHash))), is: [])
    // A begun payment is neither given to the node again nor refused.
    expect(fixture.send(.pastRead(tea.paymentHash, nil)), is: [])
    expect(fixture.send(.pastNotRead(tea.paymentHash, "late")), is: [])
    expect(fixture.node(.refused(.payment(tea.paymentHash), .because("late"))), is: [])
    expect(fixture.node(.ended(.payment(tea.paymentHash))), is: [.endTask(task)])
    expect(fixture.node(.ended(.payment(tea.paymentHash))), is: [])
    expect(fixture.requests.open, is: [])
  }

  @Test
  func `A withdrawal has a background task to its end; its request is answered when the splice has begun`() {
    var fixture = RequestFixture()
    let task = task("splice 12345678")
    let out = splice(1)
    expect(
      fixture.send(.asked("1234567890", .withdrawal(spliceRequest))),
      is: [
        .beginTask(task), .node(.spliceRequested(spliceRequest)),
      ])
    expect(
      fixture.node(.begun(.splice(out.id), out)),
      is: [.answer("1234567890", .begun(out.id, amountSat: 4000, feeSat: 200))])
    expect(fixture.node(.begun(.splice(out.id), out)), is: [])
    expect(fixture.node(.refused(.splice(nil), .because("late"))), is: [])
    expect(fixture.node(.ended(.splice(splice(2).id))), is: [])
    expect(fixture.node(.ended(.splice(out.id))), is: [.endTask(task)])
    expect(fixture.node(.ended(.splice(out.id))), is: [])
    expect(fixture.requests.open, is: [])
  }

  @Test func `A move request goes to the guard and is answered when the app shows that it is connected`() {
    var fixture = RequestFixture()
    expect(fixture.send(.asked("1", .move)), is: [.moveHere])
    for status in [Status.claiming, .connecting(8), .hinderedFromConnecting(8, "no"), .releasing(8)] {
      expect(fixture.send(.shown(status)), is: [])
    }
    expect(fixture.send(.placeTaken), is: [])
    expect(fixture.send(.shown(.connected(9))), is: [.answer("1", .connected(9, hasMoved: true))])
    expect(fixture.send(.shown(.connected(9))), is: [])
    expect(fixture.requests.open, is: [])
  }

  @Test
  func
    `A move request is refused if the app turns idle before it connects; a later connection gives no answer`()
  {
    var fixture = RequestFixture()
    fixture.play(.asked("1", .move))
    guard case .answer("1", .refused(.move, _))? = fixture.send(.shown(.idle)).first else {
      Issue.record("the move is not answered")
      return
    }
    expect(fixture.send(.shown(.connected(9))), is: [])
  }

  @Test func `If the app connects without replacing another device, the answer to a move is: not moved`() {
    for status in [Status.connected(8), .settling(8)] {
      var fixture = RequestFixture()
      fixture.play(.asked("1", .move))
      expect(fixture.send(.shown(status)), is: [.answer("1", .connected(8, hasMoved: false))])
    }
  }

  @Test func `All pending move requests get the same answer, and a later one its own answer`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", .move), .placeTaken, .asked("2", .move))
    expect(
      fixture.send(.shown(.connected(9))),
      is: [.answer("1", .connected(9, hasMoved: true)), .answer("2", .connected(9, hasMoved: true))])
    fixture.play(.asked("3", .move))
    expect(fixture.send(.shown(.settling(9))), is: [.answer("3", .connected(9, hasMoved: false))])
  }

  @Test(.shows("P-1.1"))
  func `One payment has one background task, and each attempt its own generation number`() {
    var fixture = RequestFixture()
    let tea = payment("0123456789")
    let (first, second) = (task("outgoing payment 01234567"), task("outgoing payment 01234567", 2))
    expect(fixture.send(.asked("1", .payment(tea))).first, is: .beginTask(first))
    expect(
      fixture.send(.asked("2", .payment(tea))),
      is: [.answer("2", .refused(.payment, "this invoice is already being paid; wait for the result"))])
    expect(fixture.node(.ended(.payment(tea.paymentHash))), is: [.endTask(first)])
    expect(fixture.send(.asked("3", .payment(tea))).first, is: .beginTask(second))
  }

  @Test func `Payments whose hashes begin alike have different task names`() {
    var fixture = RequestFixture()
    for (id, digits) in [("1", "aaaaaaaa1"), ("2", "aaaaaaaa2"), ("3", "aaaaaaaa21")] {
      fixture.begin(id, digits)
    }
    expect(
      fixture.requests.open.compactMap(\.task?.name),
      is: [
        "outgoing payment aaaaaaaa", "outgoing payment aaaaaaaa2", "outgoing payment aaaaaaaa21",
      ])
    expect(
      fixture.node(.ended(.payment(hash("aaaaaaaa2")))), is: [.endTask(task("outgoing payment aaaaaaaa2", 2))]
    )
    // The name is free again.
    fixture.begin("4", "aaaaaaaa22")
    expect(fixture.requests.open.last?.task, is: task("outgoing payment aaaaaaaa2", 4))
  }

  @Test func `From a withdrawal's request to its end a second withdrawal is refused`() {
    var fixture = RequestFixture()
    fixture.play(.asked("1", .withdrawal(spliceRequest)))
    let underWay = "another withdrawal from the channel is pending; wait until it has ended"
    expect(
      fixture.send(.asked("2", .withdrawal(spliceRequest))),
      is: [.answer("2", .refused(.withdrawal, underWay))]
    )
    expect(fixture.node(.ended(.splice(splice(1).id))), is: [])
    expect(fixture.node(.goesOn(payments: [], splice: nil)), is: [])
    fixture.play(.node(.begun(.splice(splice(1).id), splice(1))))
    expect(
      fixture.send(.asked("3", .withdrawal(spliceRequest))),
      is: [.answer("3", .refused(.withdrawal, underWay))]
    )
    expect(fixture.node(.ended(.splice(splice(1).id))), is: [.endTask(task("splice 1"))])
    expect(fixture.send(.asked("4", .withdrawal(spliceRequest))).first, is: .beginTask(task("splice 4", 2)))
  }

  @Test func `An event without a matching request gives no answer`() {
    var fixture = RequestFixture()
    expect(fixture.node(.begun(.splice(splice(1).id), splice(1))), is: [])
    expect(fixture.node(.begun(.payment(hash("a")))), is: [])
    expect(fixture.node(.begun(.invoice(hash("a")))), is: [])
    expect(fixture.node(.ended(.splice(splice(1).id))), is: [])
    expect(fixture.node(.refused(.splice(nil), .notHeld)), is: [])
    expect(fixture.send(.invoiceMade("1", invoice("a"))), is: [])
    expect(fixture.send(.invoiceNotMade("1", "no")), is: [])
    expect(fixture.requests, is: Requests())
  }

  @Test func `The core Requests sets no deadline`() {
    var fixture = RequestFixture()
    fixture.begin("1", "a")
    let before = fixture.requests
    #expect(fixture.requests.deadline == nil)
    #expect(fixture.send(.deadlineReached) == [] && fixture.requests == before)
  }
}

/// Checks of the user's input before a payment or withdrawal begins.
@Suite("Reading a payment or withdrawal request") struct RequestReadingTests {
  private let now: Int64 = 1_700_000_000
  private let wallet = PrivateKey(hash("1"))?.publicKey

  private func invoice(
    on network: BitcoinNetwork = .regtest, amountMsat: UInt64? = 1000, madeAt: Int64? = nil,
    by payee: String = "2", features: Features = .ofEveryInvoice
  ) throws -> String {
    let fields = InvoiceFields(
      network: network, amountMsat: amountMsat, timestamp: UInt64(madeAt ?? now), paymentHash: hash("a"),
      paymentSecret: hash("5ec"), purpose: .text("tea"), expirySeconds: 3600,
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard, routeHints: [], features: features)
    return try SignedInvoice(fields, signedBy: try #require(PrivateKey(hash(payee)))).encoded
  }

  /// Why the payment is refused; nil if it is accepted.
  private func objection(to text: String, amountMsat: UInt64? = nil) throws -> String? {
    let wallet = try #require(wallet)
    do {
      _ = try Request.payment(of: text, amountMsat: amountMsat, from: wallet, atWallSeconds: now)
      return nil
    } catch { return "\(error)" }
  }

  @Test func `A payment's amount comes from the invoice, or from the user if the invoice has none`() throws {
    let wallet = try #require(wallet)
    for (asked, chosen) in [(1000, nil), (nil, 1000)] as [(UInt64?, UInt64?)] {
      let text = try invoice(amountMsat: asked)
      expect(
        try Request.payment(of: text, amountMsat: chosen, from: wallet, atWallSeconds: now),
        is: .payment(OutgoingPayment(paymentHash: hash("a"), amountMsat: 1000, paymentSecret: hash("5ec"))))
    }
  }

  @Test func `A payment whose amount neither invoice nor user gives, or both give, is refused`() throws {
    expect(
      try objection(to: invoice(amountMsat: nil)), is: "the invoice has no amount; give one")
    expect(
      try objection(to: invoice(), amountMsat: 1000),
      is: "the invoice already asks for 1 sat; leave the amount out")
  }

  @Test func `An expired invoice is refused, and one in its last second accepted`() throws {
    expect(
      try objection(to: invoice(madeAt: now - 3600)), is: "the invoice has expired; ask for a new one")
    #expect(try objection(to: invoice(madeAt: now - 3599)) == nil)
  }

  @Test
  func `An invoice of another network, this wallet, or with unknown required features is refused`() throws {
    for (network, name) in [(BitcoinNetwork.mainnet, "mainnet"), (.testnet, "testnet"), (.signet, "signet")] {
      expect(
        try objection(to: invoice(on: network)),
        is: "the invoice is for \(name), this wallet is on regtest; pay it with another wallet")
    }
    expect(
      try objection(to: invoice(by: "1")),
      is: "this wallet made the invoice; pay an invoice of another wallet")
    let demands = Features(Features.ofEveryInvoice.bits + [24])
    expect(
      try objection(to: invoice(features: demands)),
      is:
        "the invoice requires option_route_blinding, which this wallet does not support; pay it with another wallet"
    )
    // Optional and supported features are accepted.
    let served = Features(Features.ofEveryInvoice.bits + [Features.basicMPP, 25])
    #expect(try objection(to: invoice(features: served)) == nil)
  }

  @Test func `A string that is no invoice is refused with the decoder's error`() throws {
    expect(try objection(to: "lnbcrt1"), is: InvoiceError.tooShort.description)
  }

  @Test func `A withdrawal is accepted only to an address of this network`() throws {
    let address = try #require(BitcoinAddress(version: 1, program: [UInt8](repeating: 7, count: 32)))
    expect(
      try Request.withdrawal(amountSat: 4000, to: address.text(on: .regtest)),
      is: .withdrawal(SpliceRequest(amountSat: 4000, script: OutputScript(address))))
    for text in [address.text(on: .mainnet), address.text(on: .regtest) + "q", ""] {
      #expect(throws: AddressError.self) { try Request.withdrawal(amountSat: 4000, to: text) }
    }
  }
}
