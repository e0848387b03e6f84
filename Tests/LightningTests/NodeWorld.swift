import Guardrails

@testable import Lightning
@testable import Wallet
@testable import LightningProvider

/// The wallet's node and the real LSP, with one owner of the node after the other. No faults happen by themselves:
/// every owner finds its own row and may write, and sent messages arrive before their connection ends. Zombies,
/// fences, crashes between any two steps and blocked writes are in the simulation.
struct NodeWorld {
  struct Wire {
    var connection: UInt64
    var toPeer: ArraySlice<Message> = []
    var toWallet: ArraySlice<Message> = []
    var isClosedByPeer = false
  }

  /// No pings: `settle` ends when neither side has a deadline.
  static let rules = ConnectionRules(silence: nil)

  var now = Instant(nanoseconds: 0)
  /// The current owner's node; nil without an owner.
  var node: NodeMachine?
  var epoch: UInt64 = 0
  var keepsPartsInMemory = false
  var wire: Wire?
  var connections: UInt64 = 0
  var peer: PeerMachine
  var invoices: [Invoice] = []

  // Durable state.
  var stored = NodeState()
  /// Cancelled invoices, which no backup reopens while the database exists.
  private var storedCancelled: [Bytes32] = []
  var past = PastPayments()
  /// Since when, and in which boot, payments wait for parts.
  var waits: [Bytes32: (boot: Int, since: Instant)] = [:]
  var boot = 1
  var received: [Bytes32] = []
  var paid: [Bytes32] = []
  var failed = 0
  var failures: [UInt64: PaymentFailure] = [:]
  /// Amounts of the received payments.
  var amounts: [UInt64] = []
  var troubles: [String] = []
  /// The types of the wallet's messages that reached the peer.
  var saidToPeer: [UInt16] = []
  /// The owners' reports, except troubles.
  var news: [NodeReport] = []
  var endedHolds: [Bytes32] = []
  /// The wallet's outgoing payments.
  var sent = SentPayments()
  var refusals: [String] = []
  var offered: [Bytes32] = []
  var cancelled: [Bytes32] = []
  var webhookAnswers: [WebhookAnswer] = []
  /// Whether and how a write fails; applies once.
  var failsOnce: (NodeChange) -> WriteFailure? = { _ in nil }

  enum WriteFailure { case nothingDone, behindCommit }

  /// Whether the wallet splices.
  var splices = false
  /// The key that the wallet's pushes are sealed to.
  var pushKey: CurvePoint?
  var splicesBegun: [TransactionID] = []
  var splicesEnded: [SpliceSaid] = []

  struct SpliceSaid: Hashable {
    var id: TransactionID
    var end: SpliceEnd
  }

  init(payments: Int) throws {
    let terms = ChannelTerms.standard
    let channel = try Channel(
      id: SHA256.hash([1]), localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    peer = PeerMachine(
      configuration: .init(rules: Self.rules, startedAt: now, state: PeerState(channel: channel)))
    for number in 0..<payments {
      let preimage = SHA256.hash([UInt8(number), 1])
      // The tweak is the preimage: no seed is needed.
      invoices.append(
        Invoice(
          paymentHash: SHA256.hash(preimage.bytes), amountMsat: UInt64(1000 + number), text: "",
          tweak: preimage, expiresAt: 0, paymentSecret: SHA256.hash(Array("secret".utf8) + preimage.bytes)))
    }
    stored.invoices = invoices
  }

  /// With an owner that is connected and has nothing left to do.
  static func connected(payments: Int) throws -> NodeWorld {
    var world = try NodeWorld(payments: payments)
    world.claimAndSettle()
    return world
  }

  private func invoice(_ hash: Bytes32) -> Invoice? { invoices.first { $0.paymentHash == hash } }

  // MARK: The owner

  /// Starts the next owner; the previous one is killed. `moving`: at the user's request, in place of another device.
  mutating func claim(moving: Bool = false) {
    kill()
    epoch += 1
    node = NodeMachine(
      configuration: .init(
        rules: Self.rules, keepsPartsInMemory: keepsPartsInMemory, fundingKey: splices ? walletSide.key : nil,
        pushKey: pushKey))
    let replaced = moving ? ReplacedClaim(epoch: epoch - 1, container: fence(epoch).container) : nil
    handle(.started(fence(epoch), readState(), replacing: replaced))
  }

  mutating func claimAndSettle() {
    claim()
    settle()
  }

  mutating func claimAndDeliver() {
    claim()
    deliver()
  }

  mutating func kill() {
    node = nil
    hangUp()
  }

  mutating func loseDatabase() {
    stored = NodeState()
    storedCancelled = []
  }

  mutating func handle(_ event: NodeEvent) {
    var events: ArraySlice = [event]
    while let event = events.popFirst() {
      for directive in node?.handle(event, at: now) ?? [] {
        if let answer = carryOut(directive) { events.append(answer) }
      }
    }
  }

  private mutating func carryOut(_ directive: NodeDirective) -> NodeEvent? {
    switch directive {
    case .checkRow: return .rowRead(row(epoch))
    case .checkAfterInit: return .checkedAfterInit(row(epoch), readState())
    case .write(let change, _):
      if let failure = failsOnce(change) {
        if failure == .behindCommit { store(change) }
        failsOnce = { _ in nil }
        return .storeFailed("the disk")
      }
      store(change)
      return .written
    case .dial:
      connections += 1
      wire = Wire(connection: connections)
      tellPeer(.connected(connection: connections))
      return .dialled
    case .send(let messages): for message in messages { send(message) }
    case .hangUp:
      hangUp()
      return .closed("hung up")
    case .cutOff: hangUp()
    case .report(.trouble(let sentence)): troubles.append(sentence)
    case .report(let said): news.append(said)
    case .holdEnded(let hash): endedHolds.append(hash)
    case .webhookAnswered(_, let answer): webhookAnswers.append(answer)
    case .paymentRefused(_, let why), .spliceRefused(let why), .cancelRefused(_, let why),
      .webhookRefused(_, let why):
      refusals.append(why.words)
    case .spliceBegun(let splice): splicesBegun.append(splice.id)
    case .spliceEnded(let id, let end): splicesEnded.append(SpliceSaid(id: id, end: end))
    case .paymentOffered(let hash): offered.append(hash)
    case .invoiceCancelled(let hash): cancelled.append(hash)
    case .invoiceStored, .invoiceRefused, .paymentEnded, .connectionKept: break
    }
    return nil
  }

  private func readState() -> NodeState {
    var state = stored
    state.waiting = waits.keys.sorted().map { hash in
      WaitingParts(paymentHash: hash, waited: waits[hash].flatMap { $0.boot == boot ? now - $0.since : nil })
    }
    return state
  }

  private mutating func store(_ change: NodeChange) {
    if let waiting = change.waiting {
      waits = waits.filter { waiting.contains($0.key) && $0.value.boot == boot }
      for hash in waiting where waits[hash] == nil { waits[hash] = (boot, now) }
    }
    if let channel = change.channel {
      precondition(channel.revision > (stored.channel?.revision ?? 0) || stored.channel == nil)
      stored.channel = channel
    }
    if change.restored != nil, let channel = change.channel { past.follow(channel, &stored.payments) }
    stored.followInvoices(change)
    if let hash = change.cancelled { storedCancelled.append(hash) }
    if change.restored != nil { stored.invoices.removeAll { storedCancelled.contains($0.paymentHash) } }
    if let payments = change.payments {
      stored.payments.apply(payments)
      past.apply(payments)
      sent.note(payments)
    }
    for receipt in change.received {
      received.append(receipt.invoice.paymentHash)
      amounts.append(receipt.amountMsat)
    }
  }

  private mutating func send(_ outgoing: NodeOutgoing) {
    guard wire?.isClosedByPeer == false else { return }
    switch outgoing {
    case .message(let plain), .channel(.message(let plain)): wire?.toPeer.append(plain)
    case .backup(let backup): wire?.toPeer.append(.peerStorage(backup))
    case .channel(.fulfill(let id, let hash)):
      guard let channel = node?.durableChannel, let preimage = invoice(hash)?.tweak else { return }
      wire?.toPeer.append(channel.fulfilMessage(id, preimage: preimage))
    }
  }

  // MARK: The peer

  /// A payment without payment data.
  mutating func pay(_ number: Int) {
    pay(number, part: 0, amountMsat: invoices[number].amountMsat, nil)
  }

  /// A part, as a request of its own.
  mutating func pay(_ number: Int, part: Int, amountMsat: UInt64, _ data: PaymentData?) {
    tellPeer(
      .payRequested(
        PaymentRequest(
          id: UInt64(number + part * Self.partNumbers), paymentHash: invoices[number].paymentHash,
          amountMsat: amountMsat, holdUntil: Instant(nanoseconds: .max), paymentData: data)))
  }

  mutating func payAndSettle(_ number: Int) {
    pay(number)
    settle()
  }

  mutating func payAndDeliver(_ number: Int) {
    pay(number)
    deliver()
  }

  mutating func payAndDeliver(_ number: Int, part: Int, amountMsat: UInt64, _ data: PaymentData?) {
    pay(number, part: part, amountMsat: amountMsat, data)
    deliver()
  }

  static let partNumbers = 100

  /// The payment data of each part of the invoice's payment.
  func data(_ number: Int, totalMsat: UInt64? = nil) -> PaymentData {
    PaymentData(
      secret: invoices[number].paymentSecret ?? .zero, totalMsat: totalMsat ?? invoices[number].amountMsat)
  }

  mutating func tellPeer(_ event: PeerEvent) {
    if case .received(_, let message) = event { saidToPeer.append(message.type) }
    for directive in peer.handle(event, at: now) {
      switch directive {
      case .store(let changes): for change in changes { note(change) }
      case .send(let connection, let message):
        if wire?.connection == connection { wire?.toWallet.append(message) }
      case .close(let connection, _), .evict(let connection, _):
        if wire?.connection == connection { wire?.isClosedByPeer = true }
      case .requestPush, .webhook, .answer: break
      }
    }
  }

  private mutating func note(_ change: LedgerChange) {
    sent.note(change)
    switch change {
    case .paymentPaid(let id, let preimage):
      let invoice = invoices[Int(id) % Self.partNumbers]
      precondition(preimage == invoice.tweak)
      paid.append(invoice.paymentHash)
    case .paymentFailed(let id, let failure):
      failed += 1
      failures[id] = failure
    case .dataLoss(_, let side): troubles.append("data loss of the \(side)")
    default: break
    }
  }

  // MARK: The wire

  /// Messages that the wallet has sent still arrive.
  private mutating func hangUp() {
    guard let wire else { return }
    self.wire = nil
    for message in wire.toPeer { tellPeer(.received(connection: wire.connection, message)) }
    tellPeer(.closed(connection: wire.connection, "the wallet hung up"))
  }

  /// Messages in flight are lost.
  mutating func breakWire() {
    guard let connection = wire?.connection else { return }
    wire = nil
    tellPeer(.closed(connection: connection, "cut"))
    handle(.closed("cut"))
  }

  /// Delivers one message; false if none is in flight.
  mutating func moveSomething() -> Bool {
    guard let wire else { return false }
    if let message = self.wire?.toPeer.popFirst() {
      tellPeer(.received(connection: wire.connection, message))
    } else if let message = self.wire?.toWallet.popFirst() {
      if case .peerStorageRetrieval(let blob) = message {
        handle(.backupReceived(opened(blob)))
      } else {
        handle(.received(message))
      }
    } else if wire.isClosedByPeer {
      breakWire()
    } else {
      return false
    }
    return true
  }

  /// The backup with the payment secrets, which it does not contain.
  private func opened(_ blob: Blob) -> BackupReading {
    guard case .backup(var backup) = NodeBackup.read(blob.array) else { return NodeBackup.read(blob.array) }
    for index in backup.invoices.indices {
      let hash = backup.invoices[index].paymentHash
      backup.invoices[index].paymentSecret = invoice(hash)?.paymentSecret
    }
    return .backup(backup)
  }

  // MARK: Time

  /// Advances to the next deadline of either side; false without one.
  mutating func letTimePass() -> Bool {
    let deadlines = [node?.deadline, peer.deadline].compactMap { $0 }
    guard let next = deadlines.min(), next.nanoseconds < .max else { return false }
    now = max(now, next)
    tellPeer(.deadlineReached)
    handle(.deadlineReached)
    return true
  }

  /// The owner's deadline at this time.
  mutating func wake(at time: Instant) {
    now = time
    handle(.deadlineReached)
    deliver()
  }

  /// Delivers all messages in flight; no time passes.
  mutating func deliver() { while moveSomething() {} }

  /// Delivers messages and advances time until neither side has a deadline.
  mutating func settle() {
    for _ in 0..<20_000 where !moveSomething() { guard letTimePass() else { return } }
  }
}
