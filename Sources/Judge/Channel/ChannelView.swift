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
  func isInFlight(from end: ChannelEnd) -> Bool {
    commitmentsSigned[end] != revocationsSent[end.other]
  }

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
    if case .fulfilled(.some(let preimage)) = ending,
      Secrets.sha256(preimage) != htlcs[index].paymentHash
    {
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

  func htlcSignatures(by end: ChannelEnd) -> Int {
    htlcs.filter { $0.isInCommitment(of: end.other) }.count
  }

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
