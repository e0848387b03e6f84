// Splices in the frames.
extension PeerReplay {
  private static let stfuTimeoutNs: Int64 = 60_000_000_000
  /// The peer may warn and disconnect after 60 s of an unfinished splice negotiation. A splice excuses no other
  /// warning.
  func mayTimeOut(_ frame: ReadFrame) -> Bool {
    guard let negotiationSinceNs, frame.channel == view?.channel else { return false }
    return frame.entry.atNs &- negotiationSinceNs > Self.stfuTimeoutNs - stepSlackNs
  }

  func negotiationStart(_ frame: ReadFrame) -> Int64? {
    view?.negotiation == nil ? nil : negotiationSinceNs ?? frame.entry.atNs
  }

  /// A disconnect ends a splice negotiation that binds neither side.
  mutating func endNegotiation(_ frame: ReadFrame) {
    guard let view, view.negotiation != nil || view.waitsForAbort != Pair(false) else { return }
    let step = SpliceStep.disconnect
    try? self.view?.applySplice(step, by: .wallet)
    negotiationSinceNs = nil
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

  /// Fundings are named if both sides offer splicing, or the channel was spliced.
  private func namesFundings(_ view: ChannelView, _ link: Link?) -> Bool {
    let areBoth = link.map { $0.offersSplices[.wallet] && $0.offersSplices[.peer] } ?? false
    return areBoth || view.openSplice != nil || view.funding.txid != view.channel
  }

  /// The fundings in the wallet's `channel_reestablish` may lack messages in flight, but none that it acknowledged.
  mutating func checkFundings(of body: WireMessage.Reestablish, _ view: ChannelView, _ frame: ReadFrame) {
    var possible: [WireMessage.Fundings] = []
    func add(_ next: [UInt8]?, _ needsCommitment: Bool, locked: [UInt8]) {
      var fundings = WireMessage.Fundings(next: next, needsCommitment: needsCommitment)
      // A wallet bound to a splice that the peer does not know still names the locked funding.
      if next != nil || namesFundings(view, links[frame.entry.connection]) { fundings.locked = locked }
      possible.append(fundings)
    }
    if let splice = view.openSplice {
      if splice.signed[.peer] { add(nil, false, locked: splice.plan.txid) }
      if !splice.signed[.wallet] {
        add(splice.plan.txid, true, locked: view.funding.txid)
        if splice.committed[.peer] { add(splice.plan.txid, false, locked: view.funding.txid) }
      }
    } else {
      add(nil, false, locked: view.funding.txid)
      if let carried = view.carried { add(carried.txid, true, locked: view.funding.txid) }
    }
    guard !possible.contains(body.fundings) else { return }
    find(
      .reestablishFundings, frame.entry.id, Self.words(body.fundings.next), Self.words(body.fundings.locked),
      at: frame)
  }

  private static func words(_ txid: [UInt8]?) -> String {
    txid.map { String(transactionWords($0).prefix(12)) + "…" } ?? "none"
  }
}

/// The feature bits of splicing in `init`: 35 (`option_quiesce`) and 63 (`option_splice`), both odd.
enum SpliceFeatures {
  static func areOffered(by features: [UInt8]) -> Bool {
    features.count >= 9 && features[features.count - 5] & 0x08 != 0
      && features[features.count - 8] & 0x80 != 0
  }
}
