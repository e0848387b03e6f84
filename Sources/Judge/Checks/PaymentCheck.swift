// Invariant 3: what a sender sees as paid, the wallet has, once and with the same amount; nothing else it has.
extension Hearing {
  mutating func checkPayments(_ replay: PeerReplay) {
    for payment in evidence.ledger.payments {
      checkTimes(of: payment)
      switch payment.state {
      case "paid": checkPaid(payment, replay)
      case "failed": checkFailed(payment, replay)
      case "held", "offered": checkOpen(payment, replay)
      default: find(3, "Payment \(payment.id) is \(payment.state), which no payment is", [payment.evidence])
      }
    }
    checkHTLCs(replay)
    for entry in evidence.wallet.received { checkReceived(entry, replay) }
    var next: Int64 = 1
    for entry in evidence.wallet.received {
      if entry.id != next {
        find(4, "In front of received payment \(entry.id) a row is missing", [entry.evidence])
      }
      next = entry.id &+ 1
    }
  }

  // MARK: The sender's side

  private mutating func checkTimes(of payment: PaymentEntry) {
    let times = [payment.requestedNs, payment.heldNs, payment.offeredNs, payment.settledNs].compactMap { $0 }
    if times != times.sorted() {
      find(
        4, "Payment \(payment.id) was requested, held, offered and settled out of order", [payment.evidence])
    }
    let isOver = payment.isPaid || payment.isFailed
    if isOver != (payment.settledNs != nil) || payment.isPaid != (payment.preimage != nil)
      || payment.isFailed != (payment.failureCode != nil)
      || (payment.htlc != nil) != (payment.offeredNs != nil)
    {
      find(
        3, "Payment \(payment.id) is \(payment.state), and its other columns say otherwise",
        [payment.evidence])
    }
  }

  private func life(of payment: PaymentEntry, _ replay: PeerReplay) -> PeerReplay.HTLCLife? {
    payment.htlc.flatMap { replay.lives[UInt64(bitPattern: $0)] }
  }

  private mutating func checkPaid(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name = "Payment \(payment.id) (\(amountWords(payment.amountMsat)), \(shortHex(payment.paymentHash)))"
    if let preimage = payment.preimage, Secrets.sha256(preimage) != payment.paymentHash {
      find(3, "\(name) is paid with a preimage of another hash", [payment.evidence])
    }
    let life = life(of: payment, replay)
    if replay.isChannelKnown, life?.preimage == nil || life?.preimage != payment.preimage {
      find(3, "\(name) is paid, and no update_fulfill_htlc for it ever came in", [payment.evidence])
    } else if let life, life.endSignedNs != payment.settledNs {
      find(
        3, "\(name) was not settled by the commitment that covers its fulfilment",
        [payment.evidence, "ledger frames \(life.fulfilFrame ?? 0)"])
    }
    let twins = evidence.ledger.payments.filter { $0.isPaid && $0.paymentHash == payment.paymentHash }
    if !twins.arePartsOfOne, twins.first?.id == payment.id {
      find(3, "\(name) was paid \(twins.count) times", twins.map(\.evidence))
    }
    let received = evidence.wallet.received.filter { $0.paymentHash == payment.paymentHash }
    if received.isEmpty {
      find(3, "\(name) is paid, and the wallet does not have it", [payment.evidence])
    } else if received.count > 1 {
      find(3, "\(name) is in the wallet \(received.count) times", received.map(\.evidence))
    } else if received[0].amountMsat != evidence.whole(payment.paymentHash).amountMsat {
      let parts = evidence.whole(payment.paymentHash)
      let ofAll = parts.count > 1 ? " of all \(parts.count) parts" : ""
      find(
        3, "\(name) is paid, and the wallet has \(amountWords(received[0].amountMsat)) of it\(ofAll)",
        parts.map(\.evidence) + [received[0].evidence])
    }
  }

  private mutating func checkFailed(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name = "Payment \(payment.id) (\(amountWords(payment.amountMsat)), \(shortHex(payment.paymentHash)))"
    let life = life(of: payment, replay)
    if life?.isFulfilled == true {
      find(
        3, "\(name) failed although its preimage came",
        [payment.evidence, "ledger frames \(life?.fulfilFrame ?? 0)"])
    }
    if replay.isChannelKnown, payment.htlc != nil, life?.failureCode != payment.failureCode {
      find(
        3,
        "\(name) failed with code \(payment.failureCode ?? 0), and the wallet said \(life?.failureCode ?? 0)",
        [payment.evidence])
    } else if let life, life.endSignedNs != payment.settledNs {
      find(3, "\(name) did not fail by the commitment that covers its refusal", [payment.evidence])
    }
    let isPaidElsewhere = evidence.ledger.payments.contains { other in
      other.id != payment.id && other.paymentHash == payment.paymentHash && !other.isFailed
    }
    let received = evidence.wallet.received.filter { $0.paymentHash == payment.paymentHash }
    if let first = received.first, !isPaidElsewhere {
      find(3, "\(name) failed, and the wallet counts it as received", [payment.evidence, first.evidence])
    }
  }

  private mutating func checkOpen(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name =
      "payment \(payment.id) of \(amountWords(payment.amountMsat)) (\(shortHex(payment.paymentHash)))"
    if let life = life(of: payment, replay), life.endSignedNs != nil {
      find(3, "The outcome of \(name) came, and its sender was not told", [payment.evidence])
    }
    let has = evidence.wallet.received.contains { $0.paymentHash == payment.paymentHash }
    waitFor(
      "\(name) is \(payment.state) at the peer and \(has ? "accepted" : "not accepted yet") by the wallet",
      [payment.evidence])
  }

  /// HTLCs and payments of one hash belong together, one to one.
  private mutating func checkHTLCs(_ replay: PeerReplay) {
    guard replay.isChannelKnown else { return }
    var fulfilled: [[UInt8]: (id: UInt64, data: PartData?)] = [:]
    for (id, life) in replay.lives.sorted(by: { $0.key < $1.key }) {
      let owners = evidence.ledger.payments.filter { $0.htlc.map { UInt64(bitPattern: $0) } == id }
      if owners.count != 1 || owners[0].paymentHash != life.paymentHash
        || UInt64(bitPattern: owners[0].amountMsat) != life.amountMsat
        || (owners[0].offeredNs ?? .max) > life.addNs || owners[0].data != life.data
      {
        find(
          3, "HTLC \(id) of \(amountWords(life.amountMsat)) is not that of exactly one payment",
          ["ledger frames \(life.addFrame)"] + owners.map(\.evidence))
      }
      guard life.isFulfilled else { continue }
      // Parts of one payment are all fulfilled; that they are not too many is seen by their sum.
      if let earlier = fulfilled[life.paymentHash], earlier.data == nil || earlier.data != life.data {
        find(
          3, "HTLCs \(earlier.id) and \(id) of one payment hash were both fulfilled",
          ["ledger frames \(life.addFrame)"])
      }
      fulfilled[life.paymentHash] = (id, life.data)
    }
    for payment in evidence.ledger.payments {
      guard let htlc = payment.htlc, replay.lives[UInt64(bitPattern: htlc)] == nil else { continue }
      let waits = evidence.ledger.htlcs.contains { $0.id == htlc && $0.state == "sentAdd" }
      if !waits {
        find(3, "Payment \(payment.id) was offered as HTLC \(htlc), which was never sent", [payment.evidence])
      }
    }
  }

  // MARK: The wallet's side

  private mutating func checkReceived(_ entry: ReceivedEntry, _ replay: PeerReplay) {
    let name =
      "received payment \(entry.id) (\(amountWords(entry.amountMsat)), \(shortHex(entry.paymentHash)))"
    let payments = evidence.ledger.payments.filter { $0.paymentHash == entry.paymentHash }
    if !payments.contains(where: { !$0.isFailed }) {
      find(3, "The wallet counts \(name), and no sender paid it", [entry.evidence])
    }
    if let open = payments.first(where: { $0.state == "held" }) {
      find(3, "The wallet counts \(name) before it was offered", [entry.evidence, open.evidence])
    }
    let whole = evidence.whole(entry.paymentHash)
    if !whole.isEmpty, whole.amountMsat != entry.amountMsat {
      find(
        3, "The wallet counts \(name), and its sender \(amountWords(whole.amountMsat))",
        [entry.evidence] + whole.map(\.evidence))
    }
    let invoice = evidence.wallet.invoices.first { $0.paymentHash == entry.paymentHash }
    if let invoice, invoice.amountMsat > entry.amountMsat {
      find(
        3, "The invoice of \(name) asks for \(amountWords(invoice.amountMsat))",
        [entry.evidence, invoice.evidence])
    } else if invoice == nil {
      find(3, "There is no invoice for \(name)", [entry.evidence])
    }
    checkAcceptance(of: entry, name, replay)
  }

  /// It was written down under its epoch, before the preimage left, in a step that its process's journal announces.
  private mutating func checkAcceptance(of entry: ReceivedEntry, _ name: String, _ replay: PeerReplay) {
    let writes = evidence.wallet.writes.filter { write in
      write.epoch == entry.epoch && WriteSummary(write.what)?.received ?? 0 > 0
    }
    let claimed = writes.reduce(Int64(0)) { $0 &+ (WriteSummary($1.what)?.received ?? 0) }
    let counted = Int64(evidence.wallet.received.filter { $0.epoch == entry.epoch }.count)
    if claimed != counted {
      find(
        3,
        "Under epoch \(entry.epoch) \(counted) payments are counted as received, and its writes say \(claimed)",
        [entry.evidence])
    }
    let life = replay.lives.values.filter { $0.paymentHash == entry.paymentHash }.compactMap(\.fulfilNs).min()
    if let life, !writes.contains(where: { $0.atNs <= life }) {
      find(3, "The preimage of \(name) left before it was written down", [entry.evidence])
    }
    if cleaned.epochs.contains(entry.epoch) { return }
    guard let claim = evidence.wallet.claim(entry.epoch), let journal = journal(of: claim) else {
      find(3, "The \(name) was accepted under epoch \(entry.epoch), which nobody claimed", [entry.evidence])
      return
    }
    let hash = hexadecimal(entry.paymentHash)
    let isAnnounced = journal.events(of: "node").contains { record in
      isNear(record.wallNs, entry.wallNs, withinNs: stepSlackNs)
        && record.directives.contains { directive in
          directive.payload("write")?["received"]?.items.contains { receipt in
            receipt["invoice"]?["paymentHash"]?.text == hash
              && receipt["amountMsat"]?.integer == entry.amountMsat
          } ?? false
        }
    }
    if !isAnnounced {
      find(
        4, "The \(name) is not as the journal of its process tells of it",
        [entry.evidence, "journal \(journal.name)"])
    }
  }
}
