import Ground

// Splices in the model of the channel. The wallet alone begins them, one at a time; from the request for rest until
// both ends have moved, no update passes.
extension ChannelView {
  var capacityMsat: UInt64 {
    htlcs.reduce(balanceMsat[.wallet] &+ balanceMsat[.peer]) { $0 &+ $1.amountMsat }
  }

  /// The one that is not over at the end whose view this is.
  var openDeal: SpliceDeal? { deal.flatMap { $0.end == nil ? $0 : nil } }

  /// A commitment that names the funding there is means what one without a name means.
  func plain(_ step: ChannelStep) -> ChannelStep {
    guard case .commit(let signatures, let txid?) = step, txid == funding.txid else { return step }
    return .commit(htlcSignatures: signatures, funding: nil)
  }

  mutating func applySplice(_ step: SpliceStep, by end: ChannelEnd) throws(Illegal) {
    switch step {
    case .rest(let isInitiator): try rest(isInitiator, by: end)
    case .begin(let contribution, let rate, let lockTime, let key):
      try begin(
        SpliceTalk.Terms(contribution: contribution, feeratePerKw: rate, lockTime: lockTime, key: key),
        by: end)
    case .agree(let contribution, let key): try agree(contribution, key, by: end)
    case .input(let serial, let index, let sequence, let spent):
      let funding = self.funding
      try add(by: end) { (talk) throws(Illegal) in
        guard talk.input == nil, ChannelFunding(txid: spent, index: index) == funding else {
          throw Illegal(reason: "it does not spend the channel's funding")
        }
        guard serial.isMultiple(of: 2), sequence <= 0xffff_fffd else {
          throw Illegal(reason: "its serial or sequence is not allowed to the wallet")
        }
        talk.input = SpliceTalk.Input(serial: serial, sequence: sequence)
      }
    case .output(let serial, let satoshis, let script):
      try add(by: end) { (talk) throws(Illegal) in
        guard serial.isMultiple(of: 2), !talk.outputs.contains(where: { $0.serial == serial }),
          talk.outputs.count < 2, script.count < 0xfd
        else { throw Illegal(reason: "its serial or script is not allowed to the wallet") }
        talk.outputs.append(SpliceTalk.Output(serial: serial, satoshis: satoshis, script: script))
      }
    case .complete: try complete(by: end)
    case .signatures(let txid): try sign(txid, by: end)
    case .abort: try abort(by: end)
    case .locked(let txid): try lock(txid, by: end)
    case .resume(let next, let needsCommitment, let locked):
      try resume(next, needsCommitment, locked, by: end)
    case .hangUp:
      if let talk, let plan = plan(of: talk) { carried = plan }
      talk = nil
      waitsForAbort = Pair(false)
    }
  }

  /// Whether an update may pass from this end.
  func mayUpdate(_ end: ChannelEnd) -> Bool { isSpliceOver(at: end) && talk?.hasRested[end] != true }

  func isSpliceOver(at end: ChannelEnd) -> Bool {
    deal.map { $0.end == .forgotten || $0.isDone(at: end) } ?? true
  }

  // MARK: Talk

  private mutating func rest(_ isInitiator: Bool, by end: ChannelEnd) throws(Illegal) {
    var talk = self.talk ?? SpliceTalk()
    guard openDeal == nil, !talk.hasRested[end], mayUpdate(end) else {
      throw Illegal(reason: "the channel is quiescent already")
    }
    guard isInitiator == !talk.hasRested[end.other], isInitiator == (end == .wallet) else {
      throw Illegal(reason: "only the wallet may initiate stfu")
    }
    let isPending = htlcs.contains {
      $0.offeredBy == end ? $0.addStage != OpenHTLC.irrevocable : $0.ending != nil
    }
    guard !isPending else { throw Illegal(reason: "it sends stfu while its own update is pending") }
    talk.hasRested[end] = true
    carried = nil
    self.talk = talk
  }

  private mutating func begin(_ terms: SpliceTalk.Terms, by end: ChannelEnd) throws(Illegal) {
    guard var talk, talk.isAtRest, !talk.isOver, talk.terms == nil, end == .wallet else {
      throw Illegal(reason: "a splice begins only in a quiescent channel")
    }
    guard terms.contribution < 0, terms.contribution.magnitude <= balanceMsat[.wallet] / 1000 else {
      throw Illegal(
        reason:
          "it withdraws \(AmountText.words(sat: terms.contribution.magnitude)), more than the wallet's balance")
    }
    guard (253...10_000).contains(terms.feeratePerKw), terms.lockTime == 0 else {
      throw Illegal(reason: "its feerate or lock time is not one that the wallet uses")
    }
    talk.terms = terms
    self.talk = talk
  }

  private mutating func agree(_ contribution: Int64, _ key: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard var talk, !talk.isOver, talk.terms != nil, talk.peerKey == nil, end == .peer else {
      throw Illegal(reason: "no splice_init precedes it")
    }
    guard contribution == 0 else { throw Illegal(reason: "the peer contributes its own money to a splice") }
    talk.peerKey = key
    self.talk = talk
  }

  private mutating func add(
    by end: ChannelEnd, _ change: (inout SpliceTalk) throws(Illegal) -> Void
  ) throws(Illegal) {
    guard var talk, !talk.isOver, talk.peerKey != nil, talk.turn == end, end == .wallet else {
      throw Illegal(reason: "it is not the sender's turn to add to the transaction")
    }
    try change(&talk)
    talk.turn = .peer
    talk.isAnswered = false
    self.talk = talk
  }

  private mutating func complete(by end: ChannelEnd) throws(Illegal) {
    guard var talk, !talk.isOver, talk.peerKey != nil, talk.turn == end, openDeal == nil else {
      throw Illegal(reason: "it is not the sender's turn to complete the transaction")
    }
    guard end == .wallet else {
      talk.isAnswered = true
      talk.turn = .wallet
      self.talk = talk
      return
    }
    guard talk.isWhole else { throw Illegal(reason: "the transaction is incomplete") }
    bind(try SplicePlan(talk, funding: funding, capacitySat: capacityMsat / 1000))
    self.talk = talk
  }

  private func plan(of talk: SpliceTalk) -> SplicePlan? {
    guard talk.isWhole, openDeal == nil else { return nil }
    return try? SplicePlan(talk, funding: funding, capacitySat: capacityMsat / 1000)
  }

  /// The wallet is bound by its next step, which nobody else has seen yet.
  mutating func bindAhead() throws(Illegal) {
    guard let plan = carried ?? talk.flatMap(plan(of:)), openDeal == nil else {
      throw Illegal(reason: "no splice was negotiated")
    }
    bind(plan)
  }

  private mutating func bind(_ plan: SplicePlan) {
    if let deal { earlierDeals.append(deal) }
    deal = SpliceDeal(plan)
  }

  private mutating func abort(by end: ChannelEnd) throws(Illegal) {
    if waitsForAbort[end.other] {
      waitsForAbort[end.other] = false
      if end == .wallet { carried = nil }
      return
    }
    guard !waitsForAbort[end], talk?.isOver == false || carried != nil || openDeal != nil else {
      throw Illegal(reason: "there is no splice to abort")
    }
    waitsForAbort[end] = true
    talk?.isOver = true
    guard let deal = openDeal else { return }
    guard viewer != end, deal.mayBeForgotten(by: viewer) else {
      throw Illegal(reason: "it aborts a splice that binds it")
    }
    self.deal?.end = .forgotten
  }

  // MARK: What binds

  /// For the new funding, with the signatures of the HTLCs that stay.
  mutating func commitToSplice(_ txid: [UInt8], _ signatures: Int, by end: ChannelEnd) throws(Illegal) {
    guard let deal = openDeal, deal.plan.txid == txid else {
      throw Illegal(reason: "it signs for a funding of no pending splice")
    }
    let expected = htlcSignatures(by: end)
    guard signatures == expected else {
      throw Illegal(reason: "a commitment carries \(signatures) HTLC signatures where \(expected) are due")
    }
    if deal.committed[end] {
      guard deal.mayRepeatCommitment[end] else {
        throw Illegal(reason: "it signs twice for one funding, unrequested by the other side")
      }
    }
    self.deal?.committed[end] = true
    self.deal?.mayRepeatCommitment[end] = false
  }

  private mutating func sign(_ txid: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard let deal, deal.plan.txid == txid, deal.end != .forgotten else {
      throw Illegal(reason: "it signs a transaction of no pending splice")
    }
    // All that is spent counts as the wallet's, so the peer signs first.
    guard end == .wallet ? deal.signed[.peer] : deal.committed[.wallet] else {
      throw Illegal(reason: "it signs out of turn")
    }
    if deal.signed[end] {
      guard deal.mayRepeatSignatures[end] else {
        throw Illegal(reason: "it signs a transaction twice, unrequested by the other side")
      }
    }
    self.deal?.signed[end] = true
    self.deal?.mayRepeatSignatures[end] = false
    moveIfDone()
  }

  private mutating func lock(_ txid: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard let deal, deal.plan.txid == txid, deal.end != .forgotten else {
      throw Illegal(reason: "it locks a transaction of no pending splice")
    }
    guard deal.signed[end], deal.signed[end.other], !deal.locked[end] else {
      throw Illegal(reason: "it locks a splice before both have signed it, or twice")
    }
    self.deal?.locked[end] = true
    moveIfDone()
  }

  /// The money has left: the end whose view this is has heard all that it needs.
  private mutating func moveIfDone() {
    guard let deal = openDeal, deal.isDone(at: viewer) else { return }
    self.deal?.end = .done
    balanceMsat[.wallet] &-= min(deal.plan.takenMsat, balanceMsat[.wallet])
    funding = ChannelFunding(txid: deal.plan.txid, index: deal.plan.fundingIndex)
    talk = nil
  }

  // MARK: Across connections

  private mutating func resume(
    _ next: [UInt8]?, _ needsCommitment: Bool, _ locked: [UInt8]?, by end: ChannelEnd
  ) throws(Illegal) {
    if end == .wallet, let carried {
      if next == carried.txid {
        if viewer == .wallet, openDeal == nil { try bindAhead() }
      } else {
        self.carried = nil
      }
    }
    if end == viewer, end == .wallet { try takeBackWhatWasLost(next, needsCommitment, locked) }
    guard let deal, deal.end != .forgotten else { return }
    let isAsked = next == deal.plan.txid
    self.deal?.mayRepeatCommitment[end.other] = isAsked && needsCommitment && deal.committed[end.other]
    self.deal?.mayRepeatSignatures[end.other] = isAsked && deal.signed[end.other]
    guard locked == deal.plan.txid, !deal.locked[end] else { return }
    // It has all signatures, or it could not say so, though its own may be lost.
    guard deal.signed[end.other] else {
      throw Illegal(reason: "it locks a splice that the other side has not signed")
    }
    self.deal?.locked[end] = true
    moveIfDone()
  }

  /// What the wallet says of itself shows which of the peer's messages it never got.
  private mutating func takeBackWhatWasLost(
    _ next: [UInt8]?, _ needsCommitment: Bool, _ locked: [UInt8]?
  ) throws(Illegal) {
    guard let deal = openDeal else {
      if next != nil { throw Illegal(reason: "it requests signatures of a splice that does not bind it") }
      return
    }
    if next == deal.plan.txid {
      guard needsCommitment || deal.committed[.peer], !deal.signed[.wallet] else {
        throw Illegal(reason: "it requests other messages than it lacks")
      }
      self.deal?.signed[.peer] = false
      if needsCommitment { self.deal?.committed[.peer] = false }
    } else {
      guard next == nil, locked == deal.plan.txid, deal.signed[.peer] else {
        throw Illegal(reason: "it does not name the splice that binds it")
      }
    }
  }
}
