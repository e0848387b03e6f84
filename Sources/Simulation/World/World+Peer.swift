import Ground
import Crypto
import Guardrails
import LightningWire
import LightningNode
import LightningProvider
import PhonePolicy
import Wallet

// The provider, and somebody who pays through it.
extension World {
  mutating func peerReads(_ id: UInt64) {
    guard let index = wireIndex(id), !wires[index].isOverForPeer else { return }
    if let packet = wires[index].toPeer.popFirst() {
      let before = peer.value.state.channel.revision
      tellPeer(.received(connection: id, packet.message))
      if !packet.isSound, peer.value.state.channel.revision != before {
        report(.oneDriver, "The peer acts on a message that its sender had not made durable under its claim.")
      }
    } else if wires[index].isShutByWallet {
      endForPeer(id, "the wallet hung up")
    }
  }

  /// The peer's end of a connection is over; the wallet reads what is left, and then the end.
  mutating func endForPeer(_ id: UInt64, _ why: String) {
    guard let index = wireIndex(id), !wires[index].isOverForPeer else { return }
    wires[index].isOverForPeer = true
    wires[index].isShutByPeer = true
    wires[index].toPeer = []
    if wires[index].isAbandoned { wires.remove(at: index) }
    tellPeer(.closed(connection: id, why))
  }

  mutating func tellPeer(_ event: PeerEvent) {
    let directives = peer.value.handle(event, at: peerNow)
    if !directives.isEmpty { deliveredEvents &+= 1 }
    say(.peer(event, directives))
    var over: [(UInt64, String)] = []
    for directive in directives {
      switch directive {
      case .store(let changes): for change in changes { noticed(change) }
      case .send(let connection, let message):
        if let index = wireIndex(connection), !wires[index].isAbandoned, !wires[index].isShutByPeer {
          wires[index].toWallet.append(message)
        }
      case .close(let connection, let why), .evict(let connection, let why): over.append((connection, why))
      case .requestPush(let request): push(request)
      case .answer(let payment, let outcome): answered(payment, outcome)
      }
    }
    for (connection, why) in over { endForPeer(connection, why) }
  }

  private mutating func noticed(_ change: LedgerChange) {
    switch change {
    case .paymentPaid(let id, let preimage):
      guard let payment = payments.first(where: { $0.id == id }) else { return }
      let hash = invoices[payment.invoice].invoice.paymentHash
      if !isReceived(hash) || preimage != invoices[payment.invoice].preimage {
        report(.paidIsReceivedOnce, "A sender has paid what is not in the wallet.")
      }
    case .elsewherePaid(let hash, let htlc): arrived(hash, htlc)
    case .channel(let record): checkFunding(record)
    case .dataLoss(_, let side):
      report(.channelNeverBack, "A state that was acknowledged is forgotten by the \(side).")
    // A proof that is none no sound wallet gives.
    case .channelFailed(_, let reason):
      report(.channelNeverBack, "The peer has failed the channel: \(reason)")
    case .connectionOpened, .connectionJudged, .connectionClosed, .frameActedOn,
      .frameIgnored, .fence,
      .backup, .paymentHeld, .paymentOffered, .paymentFailed, .elsewhereMade:
      break
    }
  }

  mutating func restartPeer() {
    for wire in wires where !wire.isOverForPeer {
      guard let index = wireIndex(wire.id) else { continue }
      wires[index].isOverForPeer = true
      wires[index].isShutByPeer = true
      wires[index].toPeer = []
    }
    wires.removeAll { $0.isAbandoned && $0.isOverForPeer }
    peer = Boxed(
      PeerMachine(
        configuration: .init(
          isLegacy: settings.hasLegacyPeer, elsewhereDelay: settings.elsewhereDelay, rules: settings.rules,
          fundingKey: settings.splices ? Self.peerKey : nil, spliceDelay: settings.spliceDelay,
          startedAt: peerNow, state: peer.value.state)))
  }

  /// The network breaks: what is on its way is gone, and both ends notice.
  mutating func cut(_ id: UInt64) {
    guard let index = wireIndex(id) else { return }
    wires[index].toPeer = []
    wires[index].toWallet = []
    endForPeer(id, "the connection broke")
  }

  // MARK: Payments

  func preimage(of hash: Bytes32) -> Bytes32? {
    invoices.last { $0.invoice.paymentHash == hash }?.preimage
  }

  /// The person asks the app for an invoice.
  public mutating func makeInvoice(amountMsat: UInt64? = nil, text: String = "") {
    guard lives.app?.value.claim != nil else { return }
    let number = UInt64(invoices.count)
    let preimage = Bytes32(word: number &+ 1)
    // An even number: half of it is a part.
    let amount = amountMsat ?? 1000 + 2 * number
    // Without the rule a part is taken for the whole: of two parts each is then as much as is asked for.
    let asked = settings.without.contains(.completeSet) ? amount / 2 : amount
    let invoice = Invoice(
      paymentHash: SHA256.hash(preimage.bytes), amountMsat: asked, text: text, tweak: preimage,
      expiresAt: 0, paymentSecret: Bytes32(word: UInt64.max - number))
    invoices.append(WorldInvoice(invoice: invoice, preimage: preimage, amountMsat: amount))
    withLife(.app) { _, life in
      life.answers.append(
        .requests(
          .asked(
            "\(Self.invoiceRequest)\(number)",
            .invoice(amountMsat: asked, text: text, expirySeconds: 3600))))
    }
  }

  private static let invoiceRequest = "invoice "

  /// The seed is the world's.
  func invoiceMade(for request: String) -> RequestEvent {
    let number = Int(request.dropFirst(Self.invoiceRequest.count))
    guard let number, invoices.indices.contains(number) else {
      return .invoiceNotMade(request, "there is no such invoice")
    }
    return .invoiceMade(request, invoices[number].invoice)
  }

  mutating func invoiceStored(_ hash: Bytes32) {
    if let index = invoices.lastIndex(where: { $0.invoice.paymentHash == hash }) {
      invoices[index].isStored = true
    }
  }

  /// All of it, or a part: the last one is what is left.
  mutating func pay(_ index: Int, part: Int = 1, of count: Int = 1) {
    guard invoices.indices.contains(index), part >= 1, part <= count else { return }
    let total = invoices[index].amountMsat
    let each = total / UInt64(count)
    let amount = part == count ? total - each * UInt64(count - 1) : each
    let id = nextPayment
    nextPayment += 1
    payments.append(WorldPayment(id: id, invoice: index, amountMsat: amount, madeAt: peerNow))
    invoices[index].isPaid = true
    tellPeer(
      .payRequested(
        PaymentRequest(
          id: id, paymentHash: invoices[index].invoice.paymentHash,
          amountMsat: amount, holdUntil: peerNow + settings.holdTime,
          paymentData: PaymentData(
            secret: invoices[index].invoice.paymentSecret ?? .zero, totalMsat: total))))
  }

  /// What is shown for one part must be deserved by all of them.
  func checkWhole(_ hash: Bytes32, shownBy life: Life) -> Bool {
    guard let asked = invoices.last(where: { $0.invoice.paymentHash == hash })?.amountMsat else {
      return true
    }
    let parts = life.wallet.node.durableChannel?.htlcs.filter { htlc in
      guard htlc.direction == .received, htlc.paymentHash == hash, case .fulfilled? = htlc.removal else {
        return false
      }
      return true
    }
    return (parts ?? []).reduce(0) { $0 + $1.amountMsat } >= asked
  }

  private mutating func answered(_ id: UInt64, _ outcome: PaymentOutcome) {
    guard let index = payments.lastIndex(where: { $0.id == id }) else { return }
    switch outcome {
    case .settled:
      payments[index].state = .paid
      settling.add(peerNow - payments[index].madeAt)
    case .held, .offered: break
    case .failed: payments[index].state = .failed
    }
  }

  private mutating func push(_ request: PushRequest) {
    guard !losesNextPush else {
      losesNextPush = false
      return
    }
    let id = nextPush
    nextPush += 1
    let reason: Push.Reason = request.reason == .incomingPayment ? .incomingPayment : .pendingSettlement
    // Not every peer says in a push which payment it is about: of one in four nobody knows.
    let hash = id.isMultiple(of: 4) ? nil : request.paymentHash
    pushes.append(
      WorldPush(
        id: id, paymentHash: hash, reason: reason,
        receivedBefore: hash == nil ? container.part { $0.pointee.received.count } : nil))
    tellPhone(
      .pushArrived(
        PhonePush(
          id: id, alert: NotificationText(title: "pay", body: "", level: .timeSensitive),
          hasMutableContent: true)))
    if settings.sendsSilentPushes { silentPush(request.paymentHash, reason) }
  }

  mutating func silentPush(_ paymentHash: Bytes32?, _ reason: Push.Reason) {
    let id = nextPush
    nextPush += 1
    silentPushes = silentPushes.suffix(3) + [WorldPush(id: id, paymentHash: paymentHash, reason: reason)]
    tellPhone(.pushArrived(PhonePush(id: id, alert: nil, hasMutableContent: false)))
  }
}

extension Bytes32 {
  /// Recognisable, and another one for each number.
  init(word: UInt64) {
    var bytes = [UInt8](repeating: 0, count: 24)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
    self = Bytes32(bytes) ?? .zero
  }
}
