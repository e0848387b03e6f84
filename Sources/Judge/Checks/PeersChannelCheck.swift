// Invariants 2 and 4, at the peer: its `channel` and `htlcs` rows follow exactly from its frames.
extension Checker {
  mutating func checkPeersChannel(_ replay: PeerReplay) {
    guard let view = replay.view, let row = evidence.ledger.channels.first else { return }
    let account = ChannelAccount(
      row: row, htlcs: Array(evidence.ledger.htlcs), splices: Array(evidence.ledger.splices), end: .peer)
    var withOffers = view
    adoptOffers(&withOffers)
    adoptRemovals(&withOffers)
    var afterDisconnect = withOffers
    afterDisconnect.forgetUnsigned(by: .wallet)
    // The row may be from before or after the end of the last connection.
    let differences = [withOffers, afterDisconnect].map { account.differences(from: $0) }
    guard let fewest = differences.min(by: { $0.count < $1.count }), !fewest.isEmpty else { return }
    find(
      2,
      "The peer's channel row does not follow from its \(frames.count) frames: \(fewest.joined(separator: "; "))",
      ["ledger channel"])
  }

  /// Removals of the wallet's outgoing HTLCs that the peer has not sent yet, as the wallet was disconnected.
  private func adoptRemovals(_ view: inout ChannelView) {
    for entry in evidence.ledger.htlcs where entry.direction == "received" && entry.state == "sentRemove" {
      let ending: OpenHTLC.Ending =
        entry.removal == "fulfilled" ? .fulfilled(nil) : .failed(entry.failureCode)
      _ = try? view.remove(UInt64(bitPattern: entry.id), ending, by: .peer)
    }
  }

  /// Offers that the peer has not sent yet, as its last commitment is unrevoked. Each must belong to a payment.
  private mutating func adoptOffers(_ view: inout ChannelView) {
    let waiting = evidence.ledger.htlcs.filter { $0.direction == "offered" && $0.state == "sentAdd" }
    for entry in waiting.sorted(by: { $0.id < $1.id }) {
      let payment = evidence.ledger.paymentsByHTLC.all(entry.id).first {
        $0.paymentHash == entry.paymentHash
      }
      guard payment?.state == "offered", payment?.amountMsat == entry.amountMsat,
        payment?.data == entry.data, view.isInFlight(from: .peer)
      else {
        find(
          3, "HTLC \(entry.id) is queued at the peer, but belongs to no offered payment",
          ["ledger htlcs offered \(entry.id)"])
        continue
      }
      let step = ChannelStep.add(
        id: UInt64(bitPattern: entry.id), amountMsat: UInt64(bitPattern: entry.amountMsat),
        paymentHash: entry.paymentHash, cltvExpiry: UInt64(bitPattern: entry.cltvExpiry),
        data: entry.data)
      _ = try? view.apply(step, by: .peer)
    }
  }
}
