// Invariant 3: each payment that its sender sees as paid is received once with the same amount, and nothing else is
// received.
extension Checker {
  mutating func checkPayments(_ replay: PeerReplay) {
    for payment in evidence.ledger.payments {
      checkColumns(of: payment)
      switch payment.state {
      case "paid": checkPaid(payment, replay)
      case "failed": checkFailed(payment, replay)
      case "held", "offered": checkOpen(payment, replay)
      default: find(3, "Payment \(payment.id) has the unknown state \(payment.state)", [payment.evidence])
      }
    }
    checkHTLCs(replay)
  }

  // MARK: The sender's side

  private mutating func checkColumns(of payment: PaymentEntry) {
    let isOver = payment.isPaid || payment.isFailed
    if isOver != (payment.settledNs != nil) || payment.isPaid != (payment.preimage != nil)
      || payment.isFailed != (payment.failureCode != nil)
      || (payment.htlc != nil) != (payment.offeredNs != nil)
    {
      find(
        3, "Payment \(payment.id) is \(payment.state), but another column of its row contradicts that state",
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
      find(3, "\(name) is paid, but no update_fulfill_htlc for it was received", [payment.evidence])
    } else if let life, life.endSignedNs != payment.settledNs {
      find(
        3, "\(name) was not marked settled at the commitment that covers its fulfilment",
        [payment.evidence, "ledger frames \(life.fulfilFrame ?? 0)"])
    }
    let group = evidence.ledger.payments(payment.paymentHash)
    if group.paid.first?.id == payment.id, !group.paid.arePartsOfOne {
      find(3, "\(name) was paid \(group.paid.count) times", group.paid.map(\.evidence))
    }
    guard evidence.hasContainer else { return }
    let received = evidence.wallet.receivedByHash.all(payment.paymentHash)
    if received.isEmpty {
      // The receipt is in the container that the wallet had when it revealed the preimage.
      guard evidence.moves.isHere(atNs: life?.fulfilNs) else { return }
      find(3, "\(name) is paid, but the wallet has not received it", [payment.evidence])
    } else if received.count > 1 {
      find(3, "\(name) is in the wallet \(received.count) times", received.map(\.evidence))
    } else if received[0].amountMsat != group.wholeMsat {
      let parts = group.whole
      let ofAll = parts.count > 1 ? " for all \(parts.count) parts" : ""
      find(
        3, "\(name) is paid, but the wallet received \(amountWords(received[0].amountMsat))\(ofAll)",
        parts.map(\.evidence) + [received[0].evidence])
    }
  }

  private mutating func checkFailed(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name = "Payment \(payment.id) (\(amountWords(payment.amountMsat)), \(shortHex(payment.paymentHash)))"
    let life = life(of: payment, replay)
    if life?.isFulfilled == true {
      find(
        3, "\(name) failed although its preimage was received",
        [payment.evidence, "ledger frames \(life?.fulfilFrame ?? 0)"])
    }
    if replay.isChannelKnown, payment.htlc != nil, life?.failureCode != payment.failureCode {
      find(
        3,
        "\(name) failed with code \(payment.failureCode ?? 0), but the wallet sent \(life?.failureCode ?? 0)",
        [payment.evidence])
    } else if let life, life.endSignedNs != payment.settledNs {
      find(3, "\(name) was not marked failed at the commitment that covers its removal", [payment.evidence])
    }
    let hasOther = !evidence.ledger.payments(payment.paymentHash).whole.isEmpty
    if let first = evidence.wallet.receivedByHash.first(payment.paymentHash), !hasOther {
      find(3, "\(name) failed, but the wallet has received it", [payment.evidence, first.evidence])
    }
  }

  private mutating func checkOpen(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name =
      "payment \(payment.id) of \(amountWords(payment.amountMsat)) (\(shortHex(payment.paymentHash)))"
    if let life = life(of: payment, replay), life.endSignedNs != nil {
      find(3, "The peer received the outcome of \(name), but did not notify the sender", [payment.evidence])
    }
    let has = evidence.wallet.receivedByHash.contains(payment.paymentHash)
    notePending(
      "\(name) is \(payment.state) at the peer and \(has ? "accepted" : "not accepted yet") by the wallet",
      [payment.evidence])
  }

  /// Each HTLC belongs to exactly one payment.
  private mutating func checkHTLCs(_ replay: PeerReplay) {
    guard replay.isChannelKnown else { return }
    var fulfilled: [[UInt8]: (id: UInt64, data: PartData?)] = [:]
    for (id, life) in replay.lives.sorted(by: { $0.key < $1.key }) {
      let owners = evidence.ledger.paymentsByHTLC.all(Int64(bitPattern: id))
      if owners.count != 1 || owners[0].paymentHash != life.paymentHash
        || UInt64(bitPattern: owners[0].amountMsat) != life.amountMsat
        || (owners[0].offeredNs ?? .max) > life.addNs || owners[0].data != life.data
      {
        find(
          3, "HTLC \(id) of \(amountWords(life.amountMsat)) does not belong to exactly one payment",
          ["ledger frames \(life.addFrame)"] + owners.map(\.evidence))
      }
      guard life.isFulfilled else { continue }
      // All parts of one payment are fulfilled; `arePartsOfOne` checks that there are not too many.
      if let earlier = fulfilled[life.paymentHash], earlier.data == nil || earlier.data != life.data {
        find(
          3, "HTLCs \(earlier.id) and \(id) of one payment hash were both fulfilled",
          ["ledger frames \(life.addFrame)"])
      }
      fulfilled[life.paymentHash] = (id, life.data)
    }
    let waiting = Set(evidence.ledger.htlcs.filter { $0.state == "sentAdd" }.map(\.id))
    for payment in evidence.ledger.payments {
      guard let htlc = payment.htlc, replay.lives[UInt64(bitPattern: htlc)] == nil else { continue }
      if !waiting.contains(htlc) {
        find(
          3,
          "The ledger says that payment \(payment.id) was offered as HTLC \(htlc), but no update_add_htlc was sent",
          [payment.evidence])
      }
    }
  }
}
