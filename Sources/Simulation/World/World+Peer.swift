import Ground
import Guardrails
import Lightning
import Wallet
import LightningProvider
import PhonePolicy

// The LSP, and the senders that pay through it.
extension World {
  mutating func peerReads(_ id: UInt64) {
    guard let wire = wires[id], !wire.isOverForPeer else { return }
    if let packet = wires.readByPeer(id) {
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

  mutating func tellPeer(_ event: PeerEvent) {
    let directives = peer.value.handle(event, at: peerNow)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    say(.peer(event, directives))
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
    case .dataLoss(_, let side):
      report(.channelNeverBack, "An acknowledged state is lost by the \(side).")
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

  /// A user's order to the peer.
  public mutating func orderFailures(_ order: OrderedFailures) { tellPeer(.failuresOrdered(order)) }

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
    peer = Boxed(
      PeerMachine(
        configuration: .init(
          isLegacy: settings.hasLegacyPeer, externalDelay: settings.externalDelay, rules: settings.rules,
          fundingKey: settings.splices ? Self.peerKey : nil, spliceDelay: settings.spliceDelay,
          storageDelay: settings.storageDelay, startedAt: peerNow, state: peer.value.state,
          pushStrategy: settings.pushStrategy)))
    announcements.value.noteStart(at: peerNow)
  }

  /// The connection breaks: everything in flight is lost, and both ends notice.
  mutating func cut(_ id: UInt64) {
    guard wires[id] != nil else { return }
    wires.lose(id)
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
    guard !pushing.losesNext else { return pushing.loseNext(false) }
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
    var bytes = [UInt8](repeating: 0, count: 24)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
    self = Bytes32(bytes) ?? .zero
  }
}
