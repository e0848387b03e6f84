import Ground
import Crypto
import Lightning
import Wallet
import LightningProvider

/// A wallet's node and its peer as one value. The input decides when messages are delivered, and when containers and
/// sockets answer.
struct Conversation {
  private static let terms = ChannelTerms.standard

  private(set) var node = NodeMachine(
    configuration: NodeMachine.Configuration(terms: terms, fundingKey: SampleMessages.keys[1]))
  private(set) var peer: PeerMachine
  private var now = Instant(nanoseconds: 0)
  private var stored = NodeState()
  private var row: ClaimRow?
  private var past = PastPayments()
  /// Pending answers to the node, in order.
  private var answers: [NodeEvent] = []
  private var pendingWrites: [NodeChange] = []
  private var toPeer: [Message] = []
  private var toNode: [Message] = []
  private var connection: UInt64 = 0
  private var payments: UInt64 = 0
  /// The channel's capacity in each funding that ever bound a side.
  private var capacities: [OutPoint: UInt64] = [:]

  init() {
    guard
      let channel = try? Channel(
        id: SampleMessages.channelID, localMsat: Self.terms.providerMsat, remoteMsat: Self.terms.walletMsat,
        isOpener: true)
    else { fatalError("the standard channel is invalid") }
    peer = PeerMachine(
      configuration: PeerMachine.Configuration(
        fundingKey: SampleMessages.keys[0], startedAt: now, state: PeerState(channel: channel)))
    capacities[channel.funding] = channel.capacityMsat
  }

  static func preimage(_ number: UInt8) -> Bytes32 { SHA256.hash([number]) }
  static func paymentHash(_ number: UInt8) -> Bytes32 { SHA256.hash(preimage(number).bytes) }

  // MARK: Events

  mutating func start(epoch: UInt64, incarnation: UInt64, container: UInt64) {
    // The state is read after every write, so no event of an earlier process may follow.
    while !pendingWrites.isEmpty, answer() {}
    let claim = Claim(epoch: epoch, incarnation: incarnation, container: ContainerID(high: container, low: 0))
    row = ClaimRow(
      epoch: epoch, role: .app, process: ProcessIdentity(pid: 1, startTime: 2, boot: BootID(high: 3, low: 4)),
      incarnation: incarnation, container: claim.container)
    tell(.started(claim, stored))
  }

  mutating func pass(_ nanoseconds: UInt64) {
    now = now + TimeSpan(nanoseconds: Int64(clamping: nanoseconds))
    if let deadline = node.deadline, deadline <= now { tell(.deadlineReached) }
    if let deadline = peer.deadline, deadline <= now { hear(.deadlineReached) }
  }

  mutating func pay(_ number: UInt8, amountMsat: UInt64, holdNanoseconds: Int64) {
    payments += 1
    hear(
      .payRequested(
        PaymentRequest(
          id: payments, paymentHash: Self.paymentHash(number), amountMsat: amountMsat,
          holdUntil: now + TimeSpan(nanoseconds: holdNanoseconds))))
  }

  /// An external invoice, with a number that the wallet may have an invoice of too.
  mutating func makeExternalInvoice(_ number: UInt8, amountMsat: UInt64) {
    hear(
      .externalInvoiceMade(
        ExternalInvoice(
          paymentHash: Self.paymentHash(number), amountMsat: amountMsat, paymentSecret: .zero,
          preimage: Self.preimage(number))))
  }

  mutating func send(_ number: UInt8, amountMsat: UInt64) {
    tell(
      .payRequested(
        OutgoingPayment(
          paymentHash: Self.paymentHash(number), amountMsat: amountMsat, paymentSecret: .zero),
        past: past[Self.paymentHash(number)]))
  }

  mutating func splice(satoshis: UInt64) {
    tell(
      .spliceRequested(SpliceRequest(amountSat: satoshis, script: SampleMessages.spliceRequest.script)))
  }

  mutating func tell(_ event: NodeEvent) {
    for directive in node.handle(event, at: now) { carryOut(directive) }
  }

  /// Answers a pending write with a failure, and stores nothing of it.
  mutating func failContainer(_ event: NodeEvent) {
    if let index = answers.firstIndex(of: .written), !pendingWrites.isEmpty {
      answers.remove(at: index)
      pendingWrites.removeFirst()
    }
    tell(event)
  }

  mutating func hear(_ event: PeerEvent) {
    for directive in peer.handle(event, at: now) { carryOut(directive) }
    promiseCapacity(of: peer.state.channel, "the peer's channel lost or made money")
  }

  mutating func sayToPeer(_ message: Message, from other: UInt64?) {
    hear(.received(connection: other ?? connection, message))
  }

  mutating func hangUp() {
    hear(.closed(connection: connection, "disconnected"))
    forgetWire()
    tell(.closed("disconnected"))
  }

  // MARK: One pending step; false if there is none

  mutating func deliverToPeer() -> Bool {
    guard !toPeer.isEmpty else { return false }
    hear(.received(connection: connection, toPeer.removeFirst()))
    return true
  }

  mutating func deliverToNode() -> Bool {
    guard !toNode.isEmpty else { return false }
    tell(.received(toNode.removeFirst()))
    return true
  }

  mutating func answer() -> Bool {
    guard !answers.isEmpty else { return false }
    let event = answers.removeFirst()
    switch event {
    case .written: apply()
    case .dialled:
      forgetWire()
      connection += 1
      hear(.connected(connection: connection))
    default: break
    }
    if case .checkedAfterInit = event { tell(.checkedAfterInit(row, stored)) } else { tell(event) }
    return true
  }

  private mutating func apply() {
    guard !pendingWrites.isEmpty else { return }
    let change = pendingWrites.removeFirst()
    if let channel = change.channel { stored.channel = channel }
    if change.restored != nil, let channel = change.channel { past.follow(channel, &stored.payments) }
    for ended in change.payments?.ended ?? [] {
      guard case .paid(let preimage) = ended.end else { continue }
      promise(
        SHA256.hash(preimage.bytes) == ended.payment.paymentHash,
        "a payment is paid with another payment's preimage")
    }
    for offered in change.payments?.offered ?? [] {
      let isKnown =
        stored.payments.pending.contains { $0.paymentHash == offered.paymentHash }
        || past[offered.paymentHash] != nil
      promise(!isKnown, "an invoice is paid twice")
    }
    if let payments = change.payments {
      stored.payments.apply(payments)
      past.apply(payments)
    }
    stored.followInvoices(change)
  }

  private mutating func forgetWire() {
    toPeer = []
    toNode = []
  }

  // MARK: Directives

  private mutating func carryOut(_ directive: NodeDirective) {
    switch directive {
    case .checkRow: answers.append(.rowRead(row))
    case .checkAfterInit: answers.append(.checkedAfterInit(row, stored))
    case .write(let change, _):
      if let channel = change.channel { promiseRestorable(channel) }
      pendingWrites.append(change)
      answers.append(.written)
    case .dial: answers.append(.dialled)
    case .send(let outgoing): toPeer += outgoing.compactMap(message)
    case .hangUp, .cutOff:
      hear(.closed(connection: connection, "the wallet left"))
      forgetWire()
      answers.append(.closed("left"))
    case .report, .holdEnded, .connectionKept, .invoiceStored, .invoiceRefused, .invoiceCancelled,
      .cancelRefused, .paymentOffered, .paymentRefused, .paymentEnded, .spliceBegun, .spliceRefused,
      .spliceEnded, .webhookAnswered, .webhookRefused:
      break
    }
  }

  private func message(_ outgoing: NodeOutgoing) -> Message? {
    switch outgoing {
    case .message(let message), .channel(.message(let message)): return message
    case .backup(let backup): return .peerStorage(backup)
    case .channel(.fulfill(let id, let hash)):
      let number = (0..<8).first { Self.paymentHash($0) == hash }
      return node.durableChannel?.fulfilMessage(id, preimage: Self.preimage(number ?? 0))
    }
  }

  private mutating func carryOut(_ directive: PeerDirective) {
    switch directive {
    case .store(let changes):
      for case .channel(let stored) in changes {
        let record = stored.channel?.record
        promise(
          record.map { (try? Channel(restoring: $0)) != nil } ?? false,
          "the ledger stores a channel that cannot be read")
      }
    case .send(connection, let message): toNode.append(message)
    case .close(connection, _), .evict(connection, _):
      toPeer = []
      answers.append(.closed("the peer left"))
    case .send, .close, .evict, .requestPush, .webhook, .answer: break
    }
  }

  private mutating func promiseRestorable(_ channel: Channel) {
    promise(
      (try? Channel(decoding: channel.encoded())) != nil, "the container stores a channel that cannot be read"
    )
    promiseCapacity(of: channel, "the wallet's channel lost or made money")
  }

  /// Only a splice changes the capacity, by its amount and fee.
  private mutating func promiseCapacity(of channel: Channel, _ sentence: String) {
    promise(capacities[channel.funding] == channel.capacityMsat, sentence)
    guard let splice = channel.pendingSplice else { return }
    capacities[splice.funding] = channel.capacityMsat - (splice.amountSat + splice.feeSat) * 1000
  }
}
