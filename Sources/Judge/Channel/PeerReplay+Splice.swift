// Splices, as the frames tell of them.
extension PeerReplay {
  private static let restNs: Int64 = 60_000_000_000
  /// A wallet that stands still in the middle of a talk is not waited for without end. Whatever else the peer warns
  /// of, no splice excuses.
  func mayEndRest(_ frame: ReadFrame) -> Bool {
    guard let talkSinceNs, frame.channel == view?.channel else { return false }
    return frame.entry.atNs &- talkSinceNs > Self.restNs - stepSlackNs
  }

  func talkBegan(_ frame: ReadFrame) -> Int64? {
    view?.talk == nil ? nil : talkSinceNs ?? frame.entry.atNs
  }

  /// With the connection everything is forgotten that neither was bound to.
  mutating func forgetTalk(_ frame: ReadFrame) {
    guard let view, view.talk != nil || view.waitsForAbort != Pair(false) else { return }
    let step = SpliceStep.hangUp
    try? self.view?.applySplice(step, by: .wallet)
    talkSinceNs = nil
    sequence.append(SequenceEntry(frame: frame.entry.id, by: .wallet, step: .splice(step)))
  }

  mutating func resume(_ body: WireMessage.Reestablish, by end: ChannelEnd, _ frame: ReadFrame) {
    guard body.fundings != WireMessage.Fundings() || view?.carried != nil else { return }
    apply(
      .splice(
        .resume(
          next: body.fundings.next, needsCommitment: body.fundings.needsCommitment,
          locked: body.fundings.locked)), by: end, frame)
  }

  /// What the peer must say of splices when a connection begins.
  func fundings(of view: ChannelView, _ link: Link?) -> WireMessage.Fundings {
    var fundings = WireMessage.Fundings()
    let isSigned = view.openDeal?.signed[.wallet] == true
    if let deal = view.openDeal, !isSigned {
      fundings.next = deal.plan.txid
      fundings.needsCommitment = !deal.committed[.wallet]
    }
    if says(view, link) {
      fundings.locked = isSigned ? view.openDeal?.plan.txid : view.funding.txid
    }
    return fundings
  }

  /// Nobody speaks of fundings who never splices.
  private func says(_ view: ChannelView, _ link: Link?) -> Bool {
    let areBoth = link.map { $0.offersSplices[.wallet] && $0.offersSplices[.peer] } ?? false
    return areBoth || view.openDeal != nil || view.funding.txid != view.channel
  }

  /// What the wallet says may lack what was on the wire, and nothing that its own messages prove it had.
  mutating func checkFundings(of body: WireMessage.Reestablish, _ view: ChannelView, _ frame: ReadFrame) {
    var possible: [WireMessage.Fundings] = []
    func add(_ next: [UInt8]?, _ needsCommitment: Bool, locked: [UInt8]) {
      var fundings = WireMessage.Fundings(next: next, needsCommitment: needsCommitment)
      // Bound to a splice of which the peer does not know, it says what is done all the same.
      if next != nil || says(view, links[frame.entry.connection]) { fundings.locked = locked }
      possible.append(fundings)
    }
    if let deal = view.openDeal {
      if deal.signed[.peer] { add(nil, false, locked: deal.plan.txid) }
      if !deal.signed[.wallet] {
        add(deal.plan.txid, true, locked: view.funding.txid)
        if deal.committed[.peer] { add(deal.plan.txid, false, locked: view.funding.txid) }
      }
    } else {
      add(nil, false, locked: view.funding.txid)
      if let carried = view.carried { add(carried.txid, true, locked: view.funding.txid) }
    }
    guard !possible.contains(body.fundings) else { return }
    find(
      2,
      "The wallet's channel_reestablish (frame \(frame.entry.id)) says of splices what its messages and the peer's "
        + "do not lead to: next \(Self.words(body.fundings.next)), done \(Self.words(body.fundings.locked))",
      frame)
  }

  private static func words(_ txid: [UInt8]?) -> String {
    txid.map { String(transactionWords($0).prefix(12)) + "…" } ?? "none"
  }
}

/// The bits of `init` by which both ends say that they splice: rest is 35, and splices are 63.
enum SpliceFeatures {
  static func areOffered(by features: [UInt8]) -> Bool {
    features.count >= 9 && features[features.count - 5] & 0x08 != 0
      && features[features.count - 8] & 0x80 != 0
  }
}
