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

  private func demand(_ isLegal: Bool, _ reason: @autoclosure () -> String) throws(Illegal) {
    if !isLegal { throw Illegal(reason: reason()) }
  }

  /// Whether the other side still has to revoke for the newest commitment that `end` signed.
  func isInFlight(from end: ChannelEnd) -> Bool { commitmentsSigned[end] != revocationsSent[end.other] }

  /// Returns the HTLCs that it moved.
  mutating func apply(_ step: ChannelStep, by end: ChannelEnd) throws(Illegal) -> [OpenHTLC] {
    let isFree = step.isNumbered ? negotiation?.isQuiescent != true && isSpliceOver(at: end) : mayUpdate(end)
    try demand(step.isOfSplice || isFree, "its sender has sent stfu, or a splice is pending")
    switch step {
    case .add(let id, let amount, let hash, let expiry, let data):
      return try add(
        OpenHTLC(
          offeredBy: end, id: id, amountMsat: amount, paymentHash: hash, cltvExpiry: expiry, data: data))
    case .fulfil(let id, let preimage): return try remove(id, .fulfilled(preimage), by: end)
    case .fail(let id, let code): return try remove(id, .failed(code), by: end)
    case .failMalformed(let id, let code):
      try demand(code & 0x8000 != 0, "HTLC \(id) is failed as malformed with a code without BADONION")
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
    let dueID = nextID[htlc.offeredBy]
    try demand(htlc.id == dueID, "HTLC \(htlc.id) is offered where \(dueID) is due")
    try demand(
      htlc.amountMsat > 0 && htlc.amountMsat <= balanceMsat[htlc.offeredBy],
      "HTLC \(htlc.id) is of \(amountWords(htlc.amountMsat)), which is 0 or more than its sender's balance")
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
    let htlc = htlcs[index]
    try demand(htlc.ending == nil, "HTLC \(id) is removed twice")
    try demand(
      htlc.addStage == OpenHTLC.irrevocable, "HTLC \(id) is removed before it was irrevocably committed")
    if case .fulfilled(let preimage?) = ending {
      try demand(
        Secrets.sha256(preimage) == htlc.paymentHash,
        "the preimage for HTLC \(id) does not hash to its payment hash")
    }
    htlcs[index].ending = ending
    return [htlcs[index]]
  }

  private mutating func commit(_ signatures: Int, by end: ChannelEnd) throws(Illegal) -> [OpenHTLC] {
    let number = commitmentsSigned[end] + 1
    try demand(!isInFlight(from: end), "commitment \(number) is signed while the last is unrevoked")
    let moves = advance { updateBy, stage in stage == (updateBy == end ? 0 : 2) }
    try demand(!moves.isEmpty, "commitment \(number) changes nothing")
    try demand(signatures, by: end)
    commitmentsSigned[end] = number
    revokedLast[end] = false
    return moves
  }

  func htlcSignatures(by end: ChannelEnd) -> Int { htlcs.filter { $0.isInCommitment(of: end.other) }.count }

  private func demand(_ signatures: Int, by end: ChannelEnd) throws(Illegal) {
    let due = htlcSignatures(by: end)
    try demand(signatures == due, "a commitment carries \(signatures) HTLC signatures where \(due) are due")
  }

  private mutating func revoke(_ secret: [UInt8], by end: ChannelEnd) throws(Illegal) -> [OpenHTLC] {
    let number = revocationsSent[end]
    try demand(isInFlight(from: end.other), "revocation \(number) answers no commitment")
    try demand(secret == secretOfRevocation(number, by: end), "the secret of revocation \(number) is wrong")
    let moves = advance { updateBy, stage in stage == (updateBy == end ? 3 : 1) }
    revocationsSent[end] = number + 1
    lastSecret[end] = secret
    revokedLast[end] = true
    return moves
  }

  func secretOfRevocation(_ number: UInt64, by end: ChannelEnd) -> [UInt8] {
    Secrets.perCommitment(channel: channel, ofOpener: opener == end, number: number)
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
    case .begin, .agree, .input, .output, .complete: try negotiate(step, by: end)
    case .signatures(let txid): try sign(txid, by: end)
    case .abort: try abort(by: end)
    case .locked(let txid): try lock(txid, by: end)
    case .resume(let fundings): try resume(fundings, by: end)
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
    try demand(
      openSplice == nil && !negotiation.sentStfu[end] && mayUpdate(end),
      "its sender has sent stfu already, or a splice is pending")
    try demand(
      isInitiator == !negotiation.sentStfu[end.other] && isInitiator == (end == .wallet),
      "stfu must come from the wallet first, as initiator, and then from the peer")
    let isPending = htlcs.contains {
      $0.offeredBy == end ? $0.addStage != OpenHTLC.irrevocable : $0.ending != nil
    }
    try demand(!isPending, "it sends stfu while its own update is pending")
    negotiation.sentStfu[end] = true
    carried = nil
    self.negotiation = negotiation
  }

  private mutating func negotiate(_ step: SpliceStep, by end: ChannelEnd) throws(Illegal) {
    guard var negotiation, negotiation.isQuiescent, !negotiation.isOver else {
      throw Illegal(reason: "no negotiation is open, or the channel is not quiescent")
    }
    let isTurn = negotiation.peerKey != nil && negotiation.turn == end
    switch step {
    case .begin(let terms):
      try demand(negotiation.terms == nil && end == .wallet, "a splice begins once, and by the wallet")
      try demand(
        terms.contribution < 0,
        "its contribution is \(terms.contribution) sat, and a splice may only withdraw")
      let taken = terms.contribution.magnitude
      try demand(
        taken <= balanceMsat[.wallet] / 1000,
        "it withdraws \(AmountText.words(sat: taken)), more than the wallet's balance")
      try demand(
        (253...10_000).contains(terms.feeratePerKw) && terms.lockTime == 0,
        "its feerate or lock time is outside the wallet's range")
      negotiation.terms = terms
    case .agree(let contribution, let key):
      try demand(
        negotiation.terms != nil && negotiation.peerKey == nil && end == .peer,
        "no unanswered splice_init of the wallet precedes it")
      try demand(contribution == 0, "the peer contributes its own money to a splice")
      negotiation.peerKey = key
    case .complete:
      try demand(isTurn && openSplice == nil, "it is not the sender's turn to complete the transaction")
      if end == .wallet {
        try demand(negotiation.isWhole, "the transaction is incomplete")
        bind(try SplicePlan(negotiation, funding: funding, capacitySat: capacityMsat / 1000))
      } else {
        negotiation.isAnswered = true
        negotiation.turn = .wallet
      }
    default:
      try demand(isTurn && end == .wallet, "it is not the sender's turn to add to the transaction")
      try add(step, to: &negotiation)
      negotiation.turn = .peer
      negotiation.isAnswered = false
    }
    self.negotiation = negotiation
  }

  private func add(_ step: SpliceStep, to negotiation: inout SpliceNegotiation) throws(Illegal) {
    switch step {
    case .input(let input):
      try demand(
        negotiation.input == nil && ChannelFunding(txid: input.spends, index: input.outputIndex) == funding,
        "it does not spend the channel's funding")
      try demand(
        input.serial.isMultiple(of: 2) && input.sequence <= 0xffff_fffd,
        "its serial_id or sequence is illegal")
      negotiation.input = input
    case .output(let output):
      try demand(
        output.serial.isMultiple(of: 2) && !negotiation.outputs.contains { $0.serial == output.serial }
          && negotiation.outputs.count < 2 && output.script.count < 0xfd,
        "it is a third output, or its serial_id or script is illegal")
      negotiation.outputs.append(output)
    default: break
    }
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
    try demand(
      !waitsForAbort[end] && (negotiation?.isOver == false || carried != nil || openSplice != nil),
      "there is no splice to abort, or its sender has aborted already")
    waitsForAbort[end] = true
    negotiation?.isOver = true
    guard let splice = openSplice else { return }
    try demand(
      viewer != end && splice.mayBeForgotten(by: viewer), "it aborts a splice that already binds the sender")
    self.splice?.end = .forgotten
  }

  // MARK: Binding steps

  /// `commitment_signed` for the new funding, with the signatures of all HTLCs.
  mutating func commitToSplice(_ txid: [UInt8], _ signatures: Int, by end: ChannelEnd) throws(Illegal) {
    guard let splice = openSplice, splice.plan.txid == txid else {
      throw Illegal(reason: "it signs for a funding of no pending splice")
    }
    try demand(signatures, by: end)
    try demand(
      !splice.committed[end] || splice.mayRepeatCommitment[end],
      "it signs twice for one funding, unrequested by the other side")
    self.splice?.committed[end] = true
    self.splice?.mayRepeatCommitment[end] = false
  }

  private mutating func sign(_ txid: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard let splice, splice.plan.txid == txid, splice.end != .forgotten else {
      throw Illegal(reason: "it signs a transaction of no pending splice")
    }
    // The wallet contributes the only input, so the peer signs first.
    try demand(end == .wallet ? splice.signed[.peer] : splice.committed[.wallet], "it signs out of turn")
    try demand(
      !splice.signed[end] || splice.mayRepeatSignatures[end],
      "it signs a transaction twice, unrequested by the other side")
    self.splice?.signed[end] = true
    self.splice?.mayRepeatSignatures[end] = false
    moveIfDone()
  }

  private mutating func lock(_ txid: [UInt8], by end: ChannelEnd) throws(Illegal) {
    guard let splice, splice.plan.txid == txid, splice.end != .forgotten else {
      throw Illegal(reason: "it locks a transaction of no pending splice")
    }
    try demand(
      splice.signed[end] && splice.signed[end.other] && !splice.locked[end],
      "it locks a splice before both have signed it, or twice")
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

  private mutating func resume(_ fundings: Fundings, by end: ChannelEnd) throws(Illegal) {
    if end == .wallet, let carried {
      if fundings.next == carried.txid {
        if viewer == .wallet, openSplice == nil { try bindAhead() }
      } else {
        self.carried = nil
      }
    }
    if end == viewer, end == .wallet { try undoLost(fundings) }
    guard let splice, splice.end != .forgotten else { return }
    let isAsked = fundings.next == splice.plan.txid
    self.splice?.mayRepeatCommitment[end.other] =
      isAsked && fundings.needsCommitment && splice.committed[end.other]
    self.splice?.mayRepeatSignatures[end.other] = isAsked && splice.signed[end.other]
    guard fundings.locked == splice.plan.txid, !splice.locked[end] else { return }
    // Its sender has all signatures, so the other side has signed; its own signatures may be lost.
    try demand(splice.signed[end.other], "it locks a splice that the other side has not signed")
    self.splice?.locked[end] = true
    moveIfDone()
  }

  /// The wallet's `channel_reestablish` shows which of the peer's messages it never received.
  private mutating func undoLost(_ fundings: Fundings) throws(Illegal) {
    guard let splice = openSplice else {
      return try demand(fundings.next == nil, "it requests signatures of a splice that does not bind it")
    }
    guard fundings.next == splice.plan.txid else {
      return try demand(
        fundings.next == nil && fundings.locked == splice.plan.txid && splice.signed[.peer],
        "it does not name the splice that binds it")
    }
    try demand(
      (fundings.needsCommitment || splice.committed[.peer]) && !splice.signed[.wallet],
      "it requests other messages than it lacks")
    self.splice?.signed[.peer] = false
    if fundings.needsCommitment { self.splice?.committed[.peer] = false }
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

  /// The `state` in the table of this side: the step of the update that it has sent or received last.
  func stateName(at end: ChannelEnd) -> String {
    let (stage, what, sender) =
      ending == nil ? (addStage, "Add", offeredBy) : (removeStage, "Remove", offeredBy.other)
    guard ending == nil || stage < Self.irrevocable else { return "gone" }
    let isSent = [true, true, false, false, true][stage] == (end == sender)
    let step = ["", "Commit", "Revocation", "AckCommit", "AckRevocation"][stage]
    return (isSent ? "sent" : "received") + what + step
  }

  /// Whether the newest signed commitment of `holder` contains it.
  func isInCommitment(of holder: ChannelEnd) -> Bool {
    let isAdded = holder == offeredBy ? addStage >= 3 : addStage >= 1
    // The removal is sent by the side that did not offer.
    let isRemoved = ending != nil && (holder == offeredBy ? removeStage >= 1 : removeStage >= 3)
    return isAdded && !isRemoved
  }
}
