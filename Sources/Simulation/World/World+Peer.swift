import Ground
import Guardrails
import Lightning
import LightningProvider
import PhonePolicy
import Wallet

// The LSP, and the senders that pay through it.
extension World {
  mutating func peerReads(_ id: UInt64) {
    guard let wire = wires[id], !wire.isOverForPeer else { return }
    if let packet = wires.change(id, { $0.toPeer.popFirst() }) ?? nil {
      let revision = peer.value.state.channel.revision
      let before = peerIfLeft(by: wire)
      hearsOfAskedMove = packet.isAskedMove
      tellPeer(.received(connection: id, packet.message))
      hearsOfAskedMove = false
      if let before { checkLeft(wire, since: before.value) }
      if !packet.isSound, peer.value.state.channel.revision != revision {
        report(
          .oneDriver, "The peer processes a message whose state was not durable under its sender's claim.")
      }
    } else if wire.isShutByWallet {
      endForPeer(id, "the wallet disconnected")
    }
  }

  /// The peer's end of a connection is over.
  mutating func endForPeer(_ id: UInt64, _ why: String) {
    if wires.endForPeer(id) { tellPeer(.closed(connection: id, why)) }
  }

  public mutating func tellPeer(_ event: PeerEvent) {
    let directives = peer.value.handle(event, at: peerNow)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    say(.core(.peer(event, directives)))
    var over: [(UInt64, String)] = []
    noteAnnouncements(event, directives)
    for directive in directives {
      switch directive {
      case .store(let changes): for change in changes { noticed(change) }
      case .send(_, .peerStorageRetrieval) where exclusion?.value.hasBackups == false: break
      case .send(let connection, let message): wires.deliver(message, on: connection)
      case .close(let connection, let why), .evict(let connection, let why): over.append((connection, why))
      case .requestPush(let request): push(request)
      // The simulated wallet registers none.
      case .webhook: break
      case .answer(let payment, let outcome): answered(payment, outcome)
      }
    }
    for (connection, why) in over { endForPeer(connection, why) }
  }

  private mutating func noticed(_ change: LedgerChange) {
    switch change {
    case .paymentPaid(let id, let preimage):
      guard let paid = invoicing.paid(by: id) else { return }
      if !isReceived(paid.invoice.paymentHash) || preimage != paid.preimage {
        report(.paidIsReceivedOnce, "A sender has paid, but the wallet has not received the payment.")
      }
    case .externalPaid(let hash, let htlc): arrived(hash, htlc)
    case .fence(let claim): noteFence(of: claim.container)
    case .channel(let stored): if let channel = stored.channel { checkFunding(channel.record) }
    case .dataLoss(_, let side): report(.channelNeverBack, "An acknowledged state is lost by the \(side).")
    case .channelFailed(_, PeerMachine.failedOnOrder): break
    // A correct wallet never sends an invalid proof.
    case .channelFailed(_, let reason):
      report(.channelNeverBack, "The peer has failed the channel: \(reason)")
    case .backup: hasLostBackup = false
    case .connectionOpened, .connectionJudged, .connectionClosed, .frameActedOn,
      .frameIgnored, .paymentHeld, .paymentOffered, .paymentFailed, .externalMade, .pushKey, .holdEnded,
      .endedHoldForgotten, .failuresOrdered, .orderedFailureUsed, .webhook:
      break
    }
  }

  /// A user's order to the peer, unless it refuses.
  public mutating func orderChannelFailure() throws(ChannelFailureRefusal) {
    if let refusal = peer.value.refusalToFailChannel { throw refusal }
    tellPeer(.channelFailureOrdered)
  }

  mutating func restartPeer() {
    stopPeer()
    startPeer()
  }

  mutating func stopPeer() {
    if peer.value.waitingBackup != nil { hasLostBackup = true }
    wires.endAllForPeer()
    isPeerDown = true
    breakSenderLinks()
  }

  mutating func startPeer() {
    isPeerDown = false
    peer = Boxed(Self.peer(settings, startedAt: peerNow, peer.value.state))
    announcements.value.noteStart(at: peerNow)
  }

  /// The connection breaks: everything in flight is lost, and both ends notice.
  mutating func cut(_ id: UInt64) {
    guard wires.change(id, { ($0.toPeer, $0.toWallet) = ([], []) }) != nil else { return }
    endForPeer(id, "the connection broke")
  }

  // MARK: Payments

  /// The user asks the app for an invoice.
  public mutating func makeInvoice(
    amountMsat: UInt64? = nil, text: String = "", expiresAfter: TimeSpan? = nil
  ) {
    guard lives.app?.value.claim != nil else { return }
    let asksForAll = !settings.without.contains(.completeSet)
    let (number, invoice) = invoicing.make(
      amountMsat: amountMsat, text: text, asksForAll: asksForAll, expiresAt: expiresAfter.map { peerNow + $0 }
    )
    withLife(.app) { _, life in
      life.answers.append(
        .requests(
          .asked(
            "\(Self.invoiceRequest)\(number)",
            .invoice(amountMsat: invoice.amountMsat, text: text, expirySeconds: 3600))))
    }
  }

  private static let invoiceRequest = "invoice "

  /// The world has the seed, so it makes the invoice.
  func invoiceMade(for request: String) -> RequestEvent {
    let number = Int(request.dropFirst(Self.invoiceRequest.count))
    guard let number, invoices.indices.contains(number) else {
      return .invoiceNotMade(request, "there is no such invoice")
    }
    return .invoiceMade(request, invoices[number].invoice)
  }

  /// Pays one part of `count`; the last part is the remainder.
  mutating func pay(_ index: Int, part: Int = 1, of count: Int = 1) {
    guard invoices.indices.contains(index), part >= 1, part <= count else { return }
    if count == 1, settings.retries != .off { return beginRetrying(index) }
    request(index, part: part, of: count, as: numbers.payment())
  }

  /// One request of a sender to the peer.
  mutating func request(_ index: Int, part: Int, of count: Int, as id: UInt64) {
    let payment = invoicing.pay(index, part: part, of: count, as: id, at: peerNow)
    let asked = invoices[index]
    tellPeer(
      .payRequested(
        PaymentRequest(
          id: payment.id, paymentHash: asked.invoice.paymentHash,
          amountMsat: payment.amountMsat, holdUntil: peerNow + settings.holdTime,
          paymentData: PaymentData(
            secret: asked.invoice.paymentSecret ?? .zero, totalMsat: asked.amountMsat))))
  }

  /// Whether the fulfilled HTLCs of this hash reach the invoice's amount: the preimage must not leave before.
  func checkWhole(_ hash: Bytes32, shownBy life: Life) -> Bool {
    guard let asked = invoicing[hash]?.amountMsat else { return true }
    let parts = life.wallet.node.durableChannel?.htlcs.filter { htlc in
      guard htlc.direction == .received, htlc.paymentHash == hash, case .fulfilled? = htlc.removal else {
        return false
      }
      return true
    }
    return (parts ?? []).reduce(0) { $0 + $1.amountMsat } >= asked
  }

  private mutating func answered(_ id: UInt64, _ outcome: PaymentOutcome) {
    switch outcome {
    case .settled:
      if let waited = invoicing.noteSettled(id, at: peerNow) { settling.add(waited) }
      checkPaidOnce(id)
    case .held, .offered: break
    case .failed: invoicing.noteFailed(id)
    }
    tellSender(ofPayment: id, outcome)
  }

  /// The peer has both devices' push tokens.
  private mutating func push(_ request: PushRequest) {
    pushHere(request)
    onOtherDevice { $0.pushHere(request) }
  }

  private mutating func pushHere(_ request: PushRequest) {
    let isLost = pushing.losesNext
    pushing.losesNext = false
    if isLost { return }
    forgetEndedPushes()
    let reason: Push.Reason = request.reason == .incomingPayment ? .incomingPayment : .pendingSettlement
    if request.kind == .silent { return silentPush(request.paymentHash, reason) }
    let id = numbers.push()
    // Not every LSP names the payment in a push: one in four has no hash.
    let hash = id.isMultiple(of: 4) ? nil : request.paymentHash
    pushing.add(
      WorldPush(
        id: id, paymentHash: hash, reason: reason,
        receivedBefore: hash == nil ? container.part { $0.pointee.received.count } : nil,
        announcement: announcement(in: request, push: id), wasServedElsewhere: isServedElsewhere))
    tellPhone(
      .pushArrived(
        PhonePush(
          id: id, alert: NotificationText(title: "pay", body: "", level: .timeSensitive),
          hasMutableContent: true)))
    if settings.sendsSilentPushes, !tellsOnly { silentPush(request.paymentHash, reason) }
  }

  mutating func silentPush(_ paymentHash: Bytes32?, _ reason: Push.Reason) {
    let id = numbers.push()
    pushing.addSilent(WorldPush(id: id, paymentHash: paymentHash, reason: reason))
    tellPhone(.pushArrived(PhonePush(id: id, alert: nil, hasMutableContent: false)))
  }
}

extension Bytes32 {
  /// Readable in a dump, and unique per number.
  init(word: UInt64) {
    let bytes = withUnsafeBytes(of: word.bigEndian, Array.init)
    self = Bytes32([UInt8](repeating: 0, count: 24) + bytes) ?? .zero
  }
}

/// The connections between nodes and the peer.
struct Wires: Hashable, Sendable {
  private(set) var all: [Wire] = []

  subscript(id: UInt64) -> Wire? { all.first { $0.id == id } }

  /// Nil if there is no such connection.
  @discardableResult mutating func change<Answer>(_ id: UInt64, _ change: (inout Wire) -> Answer) -> Answer? {
    all.firstIndex { $0.id == id }.map { change(&all[$0]) }
  }

  // MARK: The wallet's end

  mutating func dial(_ id: UInt64, by owner: Int32, of container: ContainerID) {
    all.append(Wire(id: id, owner: owner, container: container))
  }

  /// The process ended or cut the connection; sent messages still arrive.
  mutating func abandon(_ id: UInt64) {
    change(id) {
      $0.isShutByWallet = true
      $0.isAbandoned = true
      $0.toWallet = []
    }
    forgetDead()
  }

  /// The phone has suspended the process: sent messages still arrive, and nothing is received any more.
  mutating func suspend(_ id: UInt64) {
    change(id) {
      $0.toWallet = []
      $0.isShutByWallet = true
      $0.isShutByPeer = true
    }
  }

  /// Replaces the pid of an ended process by `placeholder`.
  mutating func forget(_ owner: Int32, for placeholder: Int32) {
    for index in all.indices where all[index].owner == owner { all[index].owner = placeholder }
  }

  // MARK: The peer's end

  mutating func deliver(_ message: Message, on id: UInt64) {
    change(id) { if !$0.isAbandoned && !$0.isShutByPeer { $0.toWallet.append(message) } }
  }

  /// The wallet still reads what was sent, then the end. False if the connection was over for the peer already.
  mutating func endForPeer(_ id: UInt64) -> Bool {
    guard self[id]?.isOverForPeer == false else { return false }
    change(id) { $0.endForPeer() }
    forgetDead()
    return true
  }

  mutating func endAllForPeer() {
    for index in all.indices where !all[index].isOverForPeer { all[index].endForPeer() }
    forgetDead()
  }

  /// Drops connections that have ended on both sides.
  private mutating func forgetDead() { all.removeAll { $0.isAbandoned && $0.isOverForPeer } }

  // MARK: The network

  mutating func slowNone() { for index in all.indices { all[index].isSlow = false } }
}

extension Wire {
  fileprivate mutating func endForPeer() {
    isOverForPeer = true
    isShutByPeer = true
    toPeer = []
  }
}

/// One connection between a node and the peer, with unread messages in both directions.
struct Wire: Hashable, Sendable {
  struct Packet: Hashable, Sendable {
    var message: Message
    /// The channel state behind the message was durable under its sender's claim, and that claim was in force.
    var isSound: Bool
    /// An `init` that moves the wallet to the sender's device, at the user's request.
    var isAskedMove = false
  }

  let id: UInt64
  /// The process that dialled.
  var owner: Int32
  /// Of the process that dialled.
  let container: ContainerID
  var toPeer: ArraySlice<Packet> = []
  var toWallet: ArraySlice<Message> = []
  var isAccepted = false
  /// The wallet sends nothing more: it disconnected or ended.
  var isShutByWallet = false
  /// No process reads at the wallet's end any more.
  var isAbandoned = false
  /// The peer sends nothing more.
  var isShutByPeer = false
  /// The peer has handled the end of the connection.
  var isOverForPeer = false
  /// The wallet has sent `channel_reestablish`: from here on it drives the node.
  var isDriven = false
  /// The wallet's messages may arrive at any later moment, also after time has passed.
  var isSlow = false

  /// The peer can read a packet or the end.
  var isReadableForPeer: Bool { !isOverForPeer && (!toPeer.isEmpty || isShutByWallet) }
}

/// A presence message in flight, or the notice that the other process ended.
struct QueuedPresence: Hashable, Sendable {
  var to: Role
  var event: GuardEvent
  /// It may be read at any later moment, also after time has passed.
  var isLate = false
}
