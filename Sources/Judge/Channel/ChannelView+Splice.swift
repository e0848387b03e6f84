import Ground

// Splices in the channel model. Only the wallet initiates them, one at a time; from `stfu` until both sides have
// moved to the new funding, no update passes.
extension ChannelView {
  var capacityMsat: UInt64 {
    htlcs.reduce(balanceMsat[.wallet] &+ balanceMsat[.peer]) { $0 &+ $1.amountMsat }
  }

  /// The binding splice that is not done at the viewer.
  var openSplice: BoundSplice? { splice.flatMap { $0.end == nil ? $0 : nil } }

  /// A commitment that names the current funding is a normal commitment.
  func plain(_ step: ChannelStep) -> ChannelStep {
    guard case .commit(let signatures, let txid?) = step, txid == funding.txid else { return step }
    return .commit(htlcSignatures: signatures, funding: nil)
  }

  mutating func applySplice(_ step: SpliceStep, by end: ChannelEnd) throws(Illegal) {
    switch step {
    case .stfu(let isInitiator): try stfu(isInitiator, by: end)
    case .begin(let contribution, let rate, let lockTime, let key):
      try begin(
        SpliceNegotiation.Terms(contribution: contribution, feeratePerKw: rate, lockTime: lockTime, key: key),
        by: end)
    case .agree(let contribution, let key): try agree(contribution, key, by: end)
    case .input(let serial, let index, let sequence, let spent):
      let funding = self.funding
      try add(by: end) { (negotiation) throws(Illegal) in
        guard negotiation.input == nil, ChannelFunding(txid: spent, index: index) == funding else {
          throw Illegal(reason: "it does not spend the channel's funding")
        }
        guard serial.isMultiple(of: 2), sequence <= 0xffff_fffd else {
          throw Illegal(reason: "its serial_id or sequence is illegal")
        }
        negotiation.input = SpliceNegotiation.Input(serial: serial, sequence: sequence)
      }
    case .output(let serial, let satoshis, let script):
      try add(by: end) { (negotiation) throws(Illegal) in
        guard serial.isMultiple(of: 2), !negotiation.outputs.contains(where: { $0.serial == serial }),
          negotiation.outputs.count < 2, script.count < 0xfd
        else { throw Illegal(reason: "it is a third output, or its serial_id or script is illegal") }
        negotiation.outputs.append(
          SpliceNegotiation.Output(serial: serial, satoshis: satoshis, script: script))
      }
    case .complete: try complete(by: end)
    case .signatures(let txid): try sign(txid, by: end)
    case .abort: try abort(by: end)
    case .locked(let txid): try lock(txid, by: end)
    case .resume(let next, let needsCommitment, let locked):
      try resume(next, needsCommitment, locked, by: end)
    case .disconnect:
      if let negotiation, let plan = plan(of: negotiation) { carried = plan }
      negotiation = nil
      waitsForAbort = Pair(false)
    }
  }

  /// Whether this side may send an update.
  func mayUpdate(_ end: ChannelEnd) -> Bool { isSpliceOver(at: end) && negotiation?.sentStfu[end] != true }

  func isSpliceOver(at end: ChannelEnd) -> Bool {
    splice.map { $0.end == .forgotten || $0.isDone(at: end) } ?? true
  }

  // MARK: Negotiation

  private mutating func stfu(_ isInitiator: Bool, by end: ChannelEnd) throws(Illegal) {
    var negotiation = self.negotiation ?? SpliceNegotiation()
    guard openSplice == nil, !negotiation.sentStfu[end], mayUpdate(end) else {
      throw Illegal(reason: "its sender has sent stfu already, or a splice is pending")
    }
    guard isInitiator == !negotiation.sentStfu[end.other], isInitiator == (end == .wallet) else {
      throw Illegal(reason: "stfu must come from the wallet first, as initiator, and then from the peer")
    }
    let isPending = htlcs.contains {
      $0.offeredBy == end ? $0.addStage != OpenHTLC.irrevocable : $0.ending != nil
    }
    guard !isPending else { throw Illegal(reason: "it sends stfu while its own update is pending") }
    negotiation.sentStfu[end] = true
    carried = nil
    self.negotiation = negotiation
  }

  private mutating func begin(_ terms: SpliceNegotiation.Terms, by end: ChannelEnd) throws(Illegal) {
    guard var negotiation, negotiation.isQuiescent, !negotiation.isOver, negotiation.terms == nil,
      end == .wallet
    else {
      throw Illegal(reason: "a splice begins only in a quiescent channel")
    }
    guard terms.contribution < 0 else {
      throw Illegal(reason: "its contribution is \(terms.contribution) sat, and a splice may only withdraw")
    }
    guard terms.contribution.magnitude <= balanceMsat[.wallet] / 1000 else {
      throw Illegal(
        reason:
          "it withdraws \(AmountText.words(sat: terms.contribution.magnitude)), more than the wallet's balance"
      )
    }
    guard (253...10_000).contains(terms.feeratePerKw), terms.lockTime == 0 else {
      throw Illegal(reason: "its feerate or lock time is outside the wallet's range")
    }
    negotiation.terms = terms
    self.negotiation = negotiation
  }

  private mutating func agree(_ contribution: Int64, _ key: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard var negotiation, !negotiation.isOver, negotiation.terms != nil, negotiation.peerKey == nil,
      end == .peer
    else {
      throw Illegal(reason: "no unanswered splice_init of the wallet precedes it")
    }
    guard contribution == 0 else { throw Illegal(reason: "the peer contributes its own money to a splice") }
    negotiation.peerKey = key
    self.negotiation = negotiation
  }

  private mutating func add(
    by end: ChannelEnd, _ change: (inout SpliceNegotiation) throws(Illegal) -> Void
  ) throws(Illegal) {
    guard var negotiation, !negotiation.isOver, negotiation.peerKey != nil, negotiation.turn == end,
      end == .wallet
    else {
      throw Illegal(
        reason: "no negotiation is open, or it is not the sender's turn to add to the transaction")
    }
    try change(&negotiation)
    negotiation.turn = .peer
    negotiation.isAnswered = false
    self.negotiation = negotiation
  }

  private mutating func complete(by end: ChannelEnd) throws(Illegal) {
    guard var negotiation, !negotiation.isOver, negotiation.peerKey != nil, negotiation.turn == end,
      openSplice == nil
    else {
      throw Illegal(
        reason: "no negotiation is open, or it is not the sender's turn to complete the transaction")
    }
    guard end == .wallet else {
      negotiation.isAnswered = true
      negotiation.turn = .wallet
      self.negotiation = negotiation
      return
    }
    guard negotiation.isWhole else { throw Illegal(reason: "the transaction is incomplete") }
    bind(try SplicePlan(negotiation, funding: funding, capacitySat: capacityMsat / 1000))
    self.negotiation = negotiation
  }

  private func plan(of negotiation: SpliceNegotiation) -> SplicePlan? {
    guard negotiation.isWhole, openSplice == nil else { return nil }
    return try? SplicePlan(negotiation, funding: funding, capacitySat: capacityMsat / 1000)
  }

  /// The wallet's next durable step binds it, before the peer has seen a message of that.
  mutating func bindAhead() throws(Illegal) {
    guard let plan = carried ?? negotiation.flatMap(plan(of:)), openSplice == nil else {
      throw Illegal(reason: "no splice was negotiated")
    }
    bind(plan)
  }

  private mutating func bind(_ plan: SplicePlan) {
    if let splice { earlierSplices.append(splice) }
    splice = BoundSplice(plan)
  }

  private mutating func abort(by end: ChannelEnd) throws(Illegal) {
    if waitsForAbort[end.other] {
      waitsForAbort[end.other] = false
      if end == .wallet { carried = nil }
      return
    }
    guard !waitsForAbort[end], negotiation?.isOver == false || carried != nil || openSplice != nil else {
      throw Illegal(reason: "there is no splice to abort, or its sender has aborted already")
    }
    waitsForAbort[end] = true
    negotiation?.isOver = true
    guard let splice = openSplice else { return }
    guard viewer != end, splice.mayBeForgotten(by: viewer) else {
      throw Illegal(reason: "it aborts a splice that already binds the sender")
    }
    self.splice?.end = .forgotten
  }

  // MARK: Binding steps

  /// `commitment_signed` for the new funding, with the signatures of all HTLCs.
  mutating func commitToSplice(_ txid: [UInt8], _ signatures: Int, by end: ChannelEnd) throws(Illegal) {
    guard let splice = openSplice, splice.plan.txid == txid else {
      throw Illegal(reason: "it signs for a funding of no pending splice")
    }
    let expected = htlcSignatures(by: end)
    guard signatures == expected else {
      throw Illegal(reason: "a commitment carries \(signatures) HTLC signatures where \(expected) are due")
    }
    if splice.committed[end] {
      guard splice.mayRepeatCommitment[end] else {
        throw Illegal(reason: "it signs twice for one funding, unrequested by the other side")
      }
    }
    self.splice?.committed[end] = true
    self.splice?.mayRepeatCommitment[end] = false
  }

  private mutating func sign(_ txid: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard let splice, splice.plan.txid == txid, splice.end != .forgotten else {
      throw Illegal(reason: "it signs a transaction of no pending splice")
    }
    // The wallet contributes the only input, so the peer signs first.
    guard end == .wallet ? splice.signed[.peer] : splice.committed[.wallet] else {
      throw Illegal(reason: "it signs out of turn")
    }
    if splice.signed[end] {
      guard splice.mayRepeatSignatures[end] else {
        throw Illegal(reason: "it signs a transaction twice, unrequested by the other side")
      }
    }
    self.splice?.signed[end] = true
    self.splice?.mayRepeatSignatures[end] = false
    moveIfDone()
  }

  private mutating func lock(_ txid: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard let splice, splice.plan.txid == txid, splice.end != .forgotten else {
      throw Illegal(reason: "it locks a transaction of no pending splice")
    }
    guard splice.signed[end], splice.signed[end.other], !splice.locked[end] else {
      throw Illegal(reason: "it locks a splice before both have signed it, or twice")
    }
    self.splice?.locked[end] = true
    moveIfDone()
  }

  /// Moves to the new funding when the viewer has received `tx_signatures` and `splice_locked`.
  private mutating func moveIfDone() {
    guard let splice = openSplice, splice.isDone(at: viewer) else { return }
    self.splice?.end = .done
    balanceMsat[.wallet] &-= min(splice.plan.takenMsat, balanceMsat[.wallet])
    funding = ChannelFunding(txid: splice.plan.txid, index: splice.plan.fundingIndex)
    negotiation = nil
  }

  // MARK: Across connections

  private mutating func resume(
    _ next: [UInt8]?, _ needsCommitment: Bool, _ locked: [UInt8]?, by end: ChannelEnd
  ) throws(Illegal) {
    if end == .wallet, let carried {
      if next == carried.txid {
        if viewer == .wallet, openSplice == nil { try bindAhead() }
      } else {
        self.carried = nil
      }
    }
    if end == viewer, end == .wallet { try undoLost(next, needsCommitment, locked) }
    guard let splice, splice.end != .forgotten else { return }
    let isAsked = next == splice.plan.txid
    self.splice?.mayRepeatCommitment[end.other] = isAsked && needsCommitment && splice.committed[end.other]
    self.splice?.mayRepeatSignatures[end.other] = isAsked && splice.signed[end.other]
    guard locked == splice.plan.txid, !splice.locked[end] else { return }
    // Its sender has all signatures, so the other side has signed; its own signatures may be lost.
    guard splice.signed[end.other] else {
      throw Illegal(reason: "it locks a splice that the other side has not signed")
    }
    self.splice?.locked[end] = true
    moveIfDone()
  }

  /// The wallet's `channel_reestablish` shows which of the peer's messages it never received.
  private mutating func undoLost(
    _ next: [UInt8]?, _ needsCommitment: Bool, _ locked: [UInt8]?
  ) throws(Illegal) {
    guard let splice = openSplice else {
      if next != nil { throw Illegal(reason: "it requests signatures of a splice that does not bind it") }
      return
    }
    if next == splice.plan.txid {
      guard needsCommitment || splice.committed[.peer], !splice.signed[.wallet] else {
        throw Illegal(reason: "it requests other messages than it lacks")
      }
      self.splice?.signed[.peer] = false
      if needsCommitment { self.splice?.committed[.peer] = false }
    } else {
      guard next == nil, locked == splice.plan.txid, splice.signed[.peer] else {
        throw Illegal(reason: "it does not name the splice that binds it")
      }
    }
  }
}
