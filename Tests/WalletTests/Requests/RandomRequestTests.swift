import Lightning

@testable import Wallet

/// Random events in random order: no request is answered twice, and no task ends twice or before it began.
@Suite("Requests under random events") struct RandomRequestTests {
  /// Checks the directives of the requests.
  private struct Account {
    var fixture = RequestFixture()
    var asked: [String: Request] = [:]
    var answered: Set<String> = []
    var begun: Set<TaskBeginning> = []
    var ended: Set<TaskBeginning> = []
    var faults: [String] = []

    /// A node reports no end of a request that it has not begun.
    func isPossible(_ event: RequestEvent) -> Bool {
      guard case .node(.ended(let key)) = event else { return true }
      return !fixture.requests.open.contains { $0.key == key && !$0.isBegun }
    }

    mutating func send(_ event: RequestEvent) {
      for directive in fixture.send(event) { note(directive) }
    }

    private mutating func note(_ directive: RequestDirective) {
      switch directive {
      case .answer(let id, let answer):
        if asked[id] == nil { faults.append("\(id) did not ask") }
        if !answered.insert(id).inserted { faults.append("\(id) is answered twice: \(answer)") }
        if let kind = asked[id]?.kind, kind != answer.kind {
          faults.append("\(id) asked for \(kind): \(answer)")
        }
      case .beginTask(let task):
        if !begun.insert(task).inserted { faults.append("\(task) begins twice") }
        let names = fixture.requests.open.compactMap(\.task?.name)
        if Set(names).count != names.count { faults.append("one name for two: \(names)") }
      case .endTask(let task):
        if !begun.contains(task) { faults.append("\(task) ends before it began") }
        if !ended.insert(task).inserted { faults.append("\(task) ends twice") }
      case .moveHere, .makeInvoice, .readPast, .node: break
      }
    }
  }

  private static let hashes = ["aaaaaaaa1", "aaaaaaaa2", "b", "c"].map(hash)
  private static let statuses: [Status] = [
    .idle, .connecting(8), .connected(8), .usedByAnotherDevice, .settling(9),
  ]

  private func request(_ generator: inout SeededGenerator) -> Request {
    switch generator.below(5) {
    case 0: invoiceRequest
    case 2: .cancellation(of: generator.pick(Self.hashes))
    case 1:
      .payment(OutgoingPayment(paymentHash: generator.pick(Self.hashes), amountMsat: 1, paymentSecret: .zero))
    case 3: .withdrawal(spliceRequest)
    default: .move
    }
  }

  private func event(_ account: inout Account, _ generator: inout SeededGenerator) -> RequestEvent {
    let id = "\(1 + generator.below(account.asked.count))"
    let hash = generator.pick(Self.hashes)
    switch generator.below(9) {
    case 0, 1:
      let id = "\(account.asked.count + 1)"
      let request = request(&generator)
      account.asked[id] = request
      return .asked(id, request)
    case 2: return .invoiceMade(id, made(hash))
    case 3: return generator.chance(50) ? .invoiceNotMade(id, "no") : .placeTaken
    case 4: return generator.chance(70) ? .pastRead(hash, nil) : .pastNotRead(hash, "no")
    case 5: return .shown(generator.pick(Self.statuses))
    default: return .node(nodeEvent(hash, splice(UInt8(generator.below(3))), &generator))
    }
  }

  private func made(_ hash: Bytes32) -> Invoice {
    Invoice(paymentHash: hash, amountMsat: 1, text: "", tweak: .zero, expiresAt: 0)
  }

  private func nodeEvent(
    _ hash: Bytes32, _ splice: PendingSplice, _ generator: inout SeededGenerator
  ) -> RequestEvent.NodeReply {
    switch generator.below(9) {
    case 0: .begun(.invoice(hash))
    case 1: .begun(.payment(hash))
    case 2: .begun(.splice(splice.id), splice)
    case 3: .refused(generator.pick([.invoice(hash), .payment(hash), .splice(nil)]), .because("no"))
    case 4: .refused(generator.pick([.invoice(hash), .payment(hash), .splice(nil)]), .notHeld, .idle)
    case 5:
      .goesOn(payments: generator.chance(50) ? [hash] : [], splice: generator.chance(50) ? splice.id : nil)
    case 6: .ended(.payment(hash))
    case 7: generator.chance(50) ? .begun(.cancellation(hash)) : .refused(.cancellation(hash), .notHeld)
    default: .ended(.splice(splice.id))
    }
  }

  /// Ends every open request.
  private func finish(_ account: inout Account) {
    while let open = account.fixture.requests.open.first {
      switch open.key {
      case _ where open.request == .move: account.send(.shown(.connected(9)))
      case nil: account.send(.invoiceNotMade(open.id ?? "", "no"))
      case let key? where open.isBegun: account.send(.node(.ended(key)))
      case let key?: account.send(.node(.refused(key, .notHeld)))
      }
    }
  }

  private func account(_ seed: UInt64, nodeMayLie: Bool) -> Account {
    var generator = SeededGenerator(seed: seed)
    var account = Account()
    for _ in 0..<200 {
      let event = event(&account, &generator)
      if nodeMayLie || account.isPossible(event) { account.send(event) }
    }
    finish(&account)
    return account
  }

  @Test func `With random events each request is answered once and each task ends once`() {
    var kinds: Set<Request.Kind> = []
    var begun = 0
    for seed in 0..<300 as Range<UInt64> {
      let account = account(seed, nodeMayLie: false)
      expect(account.faults, is: [], "seed \(seed)")
      expect(account.answered, is: Set(account.asked.keys), "seed \(seed)")
      expect(account.ended, is: account.begun, "seed \(seed)")
      kinds.formUnion(account.asked.values.map(\.kind))
      begun += account.begun.count
    }
    #expect(kinds.count == 5 && begun > 1000)
  }

  @Test func `Whatever the node reports, no request is answered twice and each task ends once`() {
    for seed in 0..<300 as Range<UInt64> {
      let account = account(seed, nodeMayLie: true)
      expect(account.faults, is: [], "seed \(seed)")
      expect(account.ended, is: account.begun, "seed \(seed)")
    }
  }
}

extension RequestAnswer {
  fileprivate var kind: Request.Kind {
    switch self {
    case .invoice: .invoice
    case .cancelled: .cancellation
    case .offered: .payment
    case .begun: .withdrawal
    case .connected: .move
    case .webhook: .webhook
    case .refused(let kind, _), .unknown(let kind, _): kind
    }
  }
}
