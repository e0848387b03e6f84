import Ground

/// The judge's own model of the channel, as seen by one side: the messages that side has sent and received, in
/// order. The rules are the same for both sides.
struct ChannelView: Hashable {
  let channel: [UInt8]
  /// The opener: the secrets depend on it.
  let opener: ChannelEnd
  /// Each side's balance, without the HTLCs that it has offered.
  var balanceMsat: Pair<UInt64>
  /// How many commitments each end has signed for the other.
  var commitmentsSigned = Pair<UInt64>(0)
  /// How many of its own commitments each side has revoked.
  var revocationsSent = Pair<UInt64>(0)
  var nextID = Pair<UInt64>(0)
  /// The newest secret each end has revealed.
  var lastSecret = Pair<[UInt8]>([UInt8](repeating: 0, count: 32))
  var revokedLast = Pair<Bool>(false)
  var htlcs: [OpenHTLC] = []
  /// Whose view this is. Only splices move money at different moments on both sides.
  var viewer = ChannelEnd.peer
  var funding: ChannelFunding
  var negotiation: SpliceNegotiation?
  /// Sides whose `tx_abort` on this connection is unanswered.
  var waitsForAbort = Pair<Bool>(false)
  /// The complete transaction of a negotiation that a disconnect ended: it may bind the wallet.
  var carried: SplicePlan?
  /// All splices that ever bound the viewer.
  var splices: [BoundSplice] { earlierSplices + [splice].compactMap { $0 } }
  /// All but the newest, apart from it: only the newest changes, and a change in one list would copy the list.
  var earlierSplices: [BoundSplice] = []
  var splice: BoundSplice?

  init(channel: [UInt8], opener: ChannelEnd, walletMsat: UInt64, peerMsat: UInt64) {
    self.channel = channel
    self.opener = opener
    funding = ChannelFunding(txid: channel, index: 0)
    balanceMsat = Pair(walletMsat)
    balanceMsat[.peer] = peerMsat
  }

  struct Illegal: Error { let reason: String }

  /// Whether the other side still has to revoke for the newest commitment that `end` signed.
  func isInFlight(from end: ChannelEnd) -> Bool { commitmentsSigned[end] != revocationsSent[end.other] }

  /// Returns the HTLCs that it moved.
  mutating func apply(_ step: ChannelStep, by end: ChannelEnd) throws(Illegal) -> [OpenHTLC] {
    if !step.isOfSplice,
      step.isNumbered ? negotiation?.isQuiescent == true || !isSpliceOver(at: end) : !mayUpdate(end)
    {
      throw Illegal(reason: "its sender has sent stfu, or a splice is pending")
    }
    switch step {
    case .add(let id, let amount, let hash, let expiry, let data):
      return try add(
        OpenHTLC(
          offeredBy: end, id: id, amountMsat: amount, paymentHash: hash, cltvExpiry: expiry, data: data))
    case .fulfil(let id, let preimage): return try remove(id, .fulfilled(preimage), by: end)
    case .fail(let id, let code): return try remove(id, .failed(code), by: end)
    case .failMalformed(let id, let code):
      guard code & 0x8000 != 0 else {
        throw Illegal(reason: "HTLC \(id) is failed as malformed with a code without BADONION")
      }
      return try remove(id, .failed(code), by: end)
    case .fee: throw Illegal(reason: "this channel has no update_fee")
    case .commit(let signatures, nil): return try commit(signatures, by: end)
    case .commit(let signatures, let txid?):
      try commitToSplice(txid, signatures, by: end)
      return []
    case .splice(let step):
      try applySplice(step, by: end)
      return []
    case .revoke(let secret): return try revoke(secret, by: end)
    }
  }

  private mutating func add(_ htlc: OpenHTLC) throws(Illegal) -> [OpenHTLC] {
    guard htlc.id == nextID[htlc.offeredBy] else {
      throw Illegal(reason: "HTLC \(htlc.id) is offered where \(nextID[htlc.offeredBy]) is due")
    }
    guard htlc.amountMsat > 0, htlc.amountMsat <= balanceMsat[htlc.offeredBy] else {
      throw Illegal(
        reason:
          "HTLC \(htlc.id) is of \(amountWords(htlc.amountMsat)), which is 0 or more than its sender's balance"
      )
    }
    balanceMsat[htlc.offeredBy] -= htlc.amountMsat
    nextID[htlc.offeredBy] += 1
    htlcs.append(htlc)
    return [htlc]
  }

  mutating func remove(
    _ id: UInt64, _ ending: OpenHTLC.Ending, by end: ChannelEnd
  ) throws(Illegal) -> [OpenHTLC] {
    guard let index = htlcs.firstIndex(where: { $0.offeredBy == end.other && $0.id == id }) else {
      throw Illegal(reason: "there is no HTLC \(id) to be removed")
    }
    guard htlcs[index].ending == nil else { throw Illegal(reason: "HTLC \(id) is removed twice") }
    guard htlcs[index].addStage == OpenHTLC.irrevocable else {
      throw Illegal(reason: "HTLC \(id) is removed before it was irrevocably committed")
    }
    if case .fulfilled(.some(let preimage)) = ending, Secrets.sha256(preimage) != htlcs[index].paymentHash {
      throw Illegal(reason: "the preimage for HTLC \(id) does not hash to its payment hash")
    }
    htlcs[index].ending = ending
    return [htlcs[index]]
  }

  private mutating func commit(_ signatures: Int, by end: ChannelEnd) throws(Illegal) -> [OpenHTLC] {
    guard !isInFlight(from: end) else {
      throw Illegal(reason: "commitment \(commitmentsSigned[end] + 1) is signed while the last is unrevoked")
    }
    let moves = advance { updateBy, stage in stage == (updateBy == end ? 0 : 2) }
    guard !moves.isEmpty else {
      throw Illegal(reason: "commitment \(commitmentsSigned[end] + 1) changes nothing")
    }
    let expected = htlcSignatures(by: end)
    guard signatures == expected else {
      throw Illegal(reason: "a commitment carries \(signatures) HTLC signatures where \(expected) are due")
    }
    commitmentsSigned[end] += 1
    revokedLast[end] = false
    return moves
  }

  func htlcSignatures(by end: ChannelEnd) -> Int { htlcs.filter { $0.isInCommitment(of: end.other) }.count }

  private mutating func revoke(_ secret: [UInt8], by end: ChannelEnd) throws(Illegal) -> [OpenHTLC] {
    guard isInFlight(from: end.other) else {
      throw Illegal(reason: "revocation \(revocationsSent[end]) answers no commitment")
    }
    let expected = Secrets.perCommitment(
      channel: channel, ofOpener: opener == end, number: revocationsSent[end])
    guard secret == expected else {
      throw Illegal(reason: "the secret of revocation \(revocationsSent[end]) is wrong")
    }
    let moves = advance { updateBy, stage in stage == (updateBy == end ? 3 : 1) }
    revocationsSent[end] += 1
    lastSecret[end] = secret
    revokedLast[end] = true
    return moves
  }

  /// Advances every update that this step moves, and credits HTLCs that are removed irrevocably.
  private mutating func advance(_ isMoved: (_ updateBy: ChannelEnd, _ stage: Int) -> Bool) -> [OpenHTLC] {
    var moves: [OpenHTLC] = []
    var remaining: [OpenHTLC] = []
    for var htlc in htlcs {
      let before = htlc
      if htlc.addStage < OpenHTLC.irrevocable {
        if isMoved(htlc.offeredBy, htlc.addStage) { htlc.addStage += 1 }
      } else if htlc.ending != nil, isMoved(htlc.offeredBy.other, htlc.removeStage) {
        htlc.removeStage += 1
      }
      if htlc != before { moves.append(htlc) }
      if htlc.removeStage == OpenHTLC.irrevocable {
        balanceMsat[htlc.isFulfilled ? htlc.offeredBy.other : htlc.offeredBy] += htlc.amountMsat
      } else {
        remaining.append(htlc)
      }
    }
    htlcs = remaining
    return moves
  }

  /// A disconnect drops the updates that `end` sent without a commitment.
  mutating func forgetUnsigned(by end: ChannelEnd) {
    var remaining: [OpenHTLC] = []
    for var htlc in htlcs {
      if htlc.offeredBy == end, htlc.addStage == 0 {
        balanceMsat[end] += htlc.amountMsat
        nextID[end] -= 1
        continue
      }
      if htlc.offeredBy != end, htlc.removeStage == 0 { htlc.ending = nil }
      remaining.append(htlc)
    }
    htlcs = remaining
  }
}

/// The two ends of the one channel.
enum ChannelEnd: Int, Hashable {
  case wallet = 0
  case peer = 1

  var other: ChannelEnd { self == .wallet ? .peer : .wallet }
  var name: String { self == .wallet ? "the wallet" : "the peer" }
}

/// One value for each end.
struct Pair<Value: Hashable>: Hashable {
  private var wallet: Value
  private var peer: Value

  init(_ value: Value) {
    wallet = value
    peer = value
  }

  subscript(_ end: ChannelEnd) -> Value {
    get { end == .wallet ? wallet : peer }
    set { if end == .wallet { wallet = newValue } else { peer = newValue } }
  }
}

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
    else { throw Illegal(reason: "a splice begins only in a quiescent channel") }
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
    else { throw Illegal(reason: "no unanswered splice_init of the wallet precedes it") }
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

/// An HTLC in the judge's model: an addition and perhaps a removal, each moving into both commitments.
///
/// Stages of an update: 0 sent; 1 its sender has signed; 2 the other side has revoked; 3 the other side has signed;
/// 4 its sender has revoked. At 4 it is irrevocable on both sides.
struct OpenHTLC: Hashable {
  enum Ending: Hashable {
    /// The preimage; nil if only the wallet's row shows the fulfilment.
    case fulfilled([UInt8]?)
    case failed(Int64?)
  }

  let offeredBy: ChannelEnd
  let id: UInt64
  let amountMsat: UInt64
  let paymentHash: [UInt8]
  let cltvExpiry: UInt64
  var data: PartData?
  var addStage = 0
  var ending: Ending?
  /// Only with an ending.
  var removeStage = 0

  static let irrevocable = 4

  var isFulfilled: Bool { if case .fulfilled = ending { true } else { false } }

  /// The `state` in the table of this side.
  func stateName(at end: ChannelEnd) -> String {
    let added =
      end == offeredBy
      ? ["sentAdd", "sentAddCommit", "receivedAddRevocation", "receivedAddAckCommit", "sentAddAckRevocation"]
      : [
        "receivedAdd", "receivedAddCommit", "sentAddRevocation", "sentAddAckCommit",
        "receivedAddAckRevocation",
      ]
    let removed =
      end == offeredBy
      ? ["receivedRemove", "receivedRemoveCommit", "sentRemoveRevocation", "sentRemoveAckCommit", "gone"]
      : ["sentRemove", "sentRemoveCommit", "receivedRemoveRevocation", "receivedRemoveAckCommit", "gone"]
    return ending == nil ? added[addStage] : removed[removeStage]
  }

  /// Whether the newest signed commitment of `holder` contains it.
  func isInCommitment(of holder: ChannelEnd) -> Bool {
    let isAdded = holder == offeredBy ? addStage >= 3 : addStage >= 1
    // The removal is sent by the side that did not offer.
    let isRemoved = ending != nil && (holder == offeredBy ? removeStage >= 1 : removeStage >= 3)
    return isAdded && !isRemoved
  }
}
