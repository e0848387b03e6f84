import Ground

/// Replays the ledger's frames in order, as the peer should have treated them: which connection is registered, which
/// frames are processed, and how each moves the channel.
struct PeerReplay {
  struct Link {
    enum State { case awaitingInit, registered, refused, evicted, failed }
    var state = State.awaitingInit
    var mustResendCommitment = false
    var mustResendRevocation = false
    /// Which of the two `init`s offer splicing.
    var offersSplices = Pair<Bool>(false)
  }

  /// A step of the channel at the peer; a retransmission is not repeated here.
  struct SequenceEntry {
    let frame: Int64
    let by: ChannelEnd
    let step: ChannelStep
  }

  /// The life of an HTLC, by frame numbers.
  struct HTLCLife {
    var amountMsat: UInt64
    var paymentHash: [UInt8]
    var addFrame: Int64
    var addNs: Int64
    var data: PartData?
    var wasCommitted = false
    var fulfilFrame: Int64?
    var fulfilNs: Int64?
    var preimage: [UInt8]?
    var failureCode: Int64?
    /// When the commitment that covers its removal was signed.
    var endSignedNs: Int64?
    var isFulfilled: Bool { preimage != nil }
    var isCommitted: Bool { wasCommitted && failureCode == nil }
  }

  let evidence: Evidence
  let frames: Rows<ReadFrame>
  var findings: [Finding] = []
  var links: [Int64: Link] = [:]
  var registered: Int64?
  var fence: FenceClaim?
  /// The wallet's node id.
  var wallet: [UInt8]?
  /// The fences that the ledger's history must have.
  var raisedFences: [(claim: FenceClaim, atNs: Int64)] = []
  /// Accepted connections in order, with the frame of their `init`.
  var accepted: [(connection: Int64, frame: Int64)] = []
  var view: ChannelView?
  /// False after an illegal step: the following steps cannot be judged.
  var isChannelKnown = true
  var sequence: [SequenceEntry] = []
  /// Frames of splice messages.
  var spliceFrames: Set<Int64> = []
  /// Start of the current splice negotiation.
  var negotiationSinceNs: Int64?
  /// HTLCs that the peer offered, by id.
  var lives: [UInt64: HTLCLife] = [:]
  /// For each payment, the sum of its irrevocably committed parts that the wallet has not failed.
  var committedMsat: [PartKey: UInt128] = [:]
  /// When the preimage of a hash was first received.
  var firstFulfilNs: [[UInt8]: Int64] = [:]
  /// HTLCs that the wallet offered, by id.
  var sentLives: [UInt64: HTLCLife] = [:]
  var opening: ChannelView?

  init(evidence: Evidence) {
    self.evidence = evidence
    frames = evidence.ledger.frames
    opening = ChannelOpening(evidence: evidence).view
    view = opening
    isChannelKnown = opening != nil
    wallet = evidence.seed.flatMap { NodeIdentity.of(seed: $0) }
    // The first wallet is the node that was accepted first; each other began with its node.
    if wallet == nil, evidence.ledger.wallet != 1 { wallet = evidence.ledger.node }
  }

  mutating func run() {
    for frame in frames {
      if isOtherNode(frame.entry.connection) {
        judgeOtherNode(frame)
        continue
      }
      guard let message = frame.message else {
        readNothing(frame)
        continue
      }
      if frame.entry.isIn { take(message, frame) } else { send(message, frame) }
    }
  }

  mutating func find(
    _ kind: FindingKind, _ values: any CustomStringConvertible..., at frame: ReadFrame,
    _ more: [EvidenceRow] = []
  ) {
    findings.append(
      Finding(kind, values.map(\.description), at: [frame.entry.row] + more, atNs: frame.entry.atNs))
  }

  /// An invalid frame: from the wallet, it must not have been processed; from the peer, it must not exist.
  private mutating func readNothing(_ frame: ReadFrame) {
    let problem = frame.problem ?? "it is no message"
    if frame.entry.isIn && !frame.entry.isActedOn {
      links[frame.entry.connection, default: Link()].state = .failed
      find(.walletsFrameUnreadable, frame.entry.id, problem, at: frame)
    } else {
      find(.frameUnreadable, frame.entry.id, problem, at: frame)
    }
  }

  // MARK: From the wallet

  private mutating func take(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    let link = links[connection] ?? Link()
    if case .initMessage(let claim, let features, let replaces) = message, link.state == .awaitingInit {
      links[connection, default: Link()].offersSplices[.wallet] = SpliceFeatures.areOffered(by: features)
      judge(claim, replacing: replaces, frame)
      return
    }
    guard link.state == .registered, registered == connection else {
      if frame.entry.isActedOn {
        let accepted = registered.map { "that was connection \($0)" } ?? "it had accepted none"
        let why =
          registered == connection
          ? "which had failed before" : "which is not the connection that it accepted last: \(accepted)"
        find(.processedUnregistered, frame.name, frame.entry.id, connection, why, at: frame)
      }
      return
    }
    takeRegistered(message, frame)
  }

  private mutating func takeRegistered(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    switch message {
    case .errorOrWarning(17, let text, _):
      links[connection]?.state = .failed
      find(.walletReportedError, connection, text, at: frame)
    case .initMessage:
      links[connection]?.state = .failed
      find(.secondInit, connection, at: frame)
    case .reestablish(let body): receive(body, frame)
    case .step(let step): takeStep(step, frame)
    case .ping, .pong, .errorOrWarning, .storage, .retrieval, .fenceReply, .pushKey, .holdEnded, .other: break
    }
  }

  private mutating func takeStep(_ step: ChannelStep, _ frame: ReadFrame) {
    guard frame.entry.isActedOn else {
      links[frame.entry.connection]?.state = .failed
      find(.stepRefused, frame.name, frame.entry.id, frame.entry.whyNot ?? "no reason recorded", at: frame)
      return
    }
    apply(step, by: .wallet, frame)
  }

  // MARK: From the peer

  private mutating func send(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    switch message {
    case .initMessage(_, let features, _):
      links[connection, default: Link()].offersSplices[.peer] = SpliceFeatures.areOffered(by: features)
    case .errorOrWarning(1, _, isStfuTimeout: true) where registered == connection && mayTimeOut(frame):
      links[connection]?.state = .failed
    // The provider may fail the channel at any time: no rule of the channel is broken.
    case .errorOrWarning(17, LedgerEvidence.closedText, _)
    where evidence.ledger.channelClosedNs.map { $0 <= frame.entry.atNs } ?? false:
      links[connection]?.state = .failed
    case .errorOrWarning(let type, let text, _):
      // A connection without an `init` may not be the wallet's: an error or warning to it is no finding.
      let wasBeforeInit = (links[connection]?.state ?? .awaitingInit) == .awaitingInit
      links[connection]?.state = .failed
      guard !wasBeforeInit else { return }
      let what = type == 17 ? "reported an error" : "warned"
      find(.peerReportedError, what, connection, text, at: frame)
    case .reestablish(let body): if isChannelKnown { resume(body, by: .peer, frame) }
    case .step(let step): sendStep(step, frame)
    case .ping, .pong, .storage, .retrieval, .fenceReply, .pushKey, .holdEnded, .other: break
    }
  }
}

extension [PeerReplay.SequenceEntry] {
  /// A disconnect drops the wallet's updates without a commitment. Steps before its last commitment stay in place:
  /// with many connections, a copy of the whole sequence each time would be quadratic.
  mutating func forgetUnsigned() {
    let signed = lastIndex { entry in
      if entry.by == .wallet, case .commit = entry.step { true } else { false }
    }
    let start = (signed ?? -1) + 1
    let kept = Self.signedFor(self[start...])
    removeLast(count - start)
    append(contentsOf: kept)
  }

  /// A separate function, so that no slice of the sequence is alive when it is changed: that would copy it.
  private static func signedFor(_ entries: ArraySlice<Element>) -> [Element] {
    entries.filter { $0.by != .wallet || $0.step.isNumbered || $0.step.isOfSplice }
  }
}

// The effect of each frame on the channel model.
extension PeerReplay {
  mutating func apply(_ given: ChannelStep, by end: ChannelEnd, _ frame: ReadFrame) {
    guard isChannelKnown, let channel = view?.channel, let step = view?.plain(given) else { return }
    if step.isOfSplice { spliceFrames.insert(frame.entry.id) }
    if frame.channel != channel {
      find(.namesOtherChannel, frame.entry.id, at: frame)
      return
    }
    do throws(ChannelView.Illegal) {
      // In place: a copy of the view would copy all earlier splices for each message.
      let moved = try view?.apply(step, by: end) ?? []
      negotiationSinceNs = negotiationStart(frame)
      sequence.append(SequenceEntry(frame: frame.entry.id, by: end, step: step))
      for htlc in moved { note(htlc, step, frame) }
    } catch {
      isChannelKnown = false
      find(
        .illegalStep, end == .wallet ? "The wallet" : "The peer", frame.name, frame.entry.id, error.reason,
        at: frame)
    }
  }

  private mutating func note(_ htlc: OpenHTLC, _ step: ChannelStep, _ frame: ReadFrame) {
    if case .add = step {
      keep(
        HTLCLife(
          amountMsat: htlc.amountMsat, paymentHash: htlc.paymentHash, addFrame: frame.entry.id,
          addNs: frame.entry.atNs, data: htlc.data), htlc)
    }
    let isPeers = htlc.offeredBy == .peer
    guard var life = isPeers ? lives[htlc.id] : sentLives[htlc.id] else { return }
    if htlc.addStage == OpenHTLC.irrevocable { life.wasCommitted = true }
    switch step {
    case .fulfil(_, let preimage):
      life.preimage = preimage
      if isPeers { checkWhole(htlc.id, life, frame) }
      // The first time counts: a fulfilment dropped by a disconnect has revealed the preimage already.
      life.fulfilFrame = life.fulfilFrame ?? frame.entry.id
      life.fulfilNs = life.fulfilNs ?? frame.entry.atNs
    case .fail(_, let code): life.failureCode = code
    case .failMalformed(_, let code): life.failureCode = code
    default: break
    }
    if htlc.ending != nil, htlc.removeStage == 1 { life.endSignedNs = frame.entry.atNs }
    keep(life, htlc)
  }

  /// A message of the peer: a new one, or the exact retransmission of a lost one.
  mutating func sendStep(_ given: ChannelStep, _ frame: ReadFrame) {
    guard isChannelKnown, let view, let link = links[frame.entry.connection] else { return }
    let step = view.plain(given)
    let isAgain: Bool
    switch step {
    case .splice, .commit(_, .some):
      apply(step, by: .peer, frame)
      return
    case .commit(let signatures, nil):
      isAgain = link.mustResendCommitment && signatures == view.htlcSignatures(by: .peer)
      if isAgain { links[frame.entry.connection]?.mustResendCommitment = false }
    case .revoke(let secret):
      isAgain = link.mustResendRevocation && secret == view.lastSecret[.peer]
      if isAgain { links[frame.entry.connection]?.mustResendRevocation = false }
    case .add, .fulfil, .fail, .failMalformed, .fee:
      isAgain = link.mustResendCommitment && isRetransmitted(step, view)
    }
    if !isAgain { apply(step, by: .peer, frame) }
  }

  private func isRetransmitted(_ step: ChannelStep, _ view: ChannelView) -> Bool {
    view.htlcs.contains { htlc in
      switch step {
      case .add(let id, let amount, let hash, let expiry, let data):
        htlc.offeredBy == .peer && htlc.addStage == 1 && htlc.id == id && htlc.amountMsat == amount
          && htlc.paymentHash == hash && htlc.cltvExpiry == expiry && htlc.data == data
      case .fulfil(let id, let preimage):
        htlc.offeredBy == .wallet && htlc.removeStage == 1 && htlc.id == id
          && htlc.ending == .fulfilled(preimage)
      case .fail(let id, let code):
        htlc.offeredBy == .wallet && htlc.removeStage == 1 && htlc.id == id && htlc.ending == .failed(code)
      // lspd never sends these two.
      case .failMalformed, .fee, .commit, .revoke, .splice: false
      }
    }
  }

  // MARK: channel_reestablish

  /// The wallet's `channel_reestablish` may lack messages in flight, but none that its own messages acknowledge.
  mutating func receive(_ body: WireMessage.Reestablish, _ frame: ReadFrame) {
    guard isChannelKnown, let view else { return }
    let commitments = max(view.revocationsSent[.wallet], view.commitmentsSigned[.peer] &- 1)
    let low = view.commitmentsSigned[.peer] == 0 ? 0 : commitments
    let isCommitmentKnown =
      body.nextCommitment >= low + 1 && body.nextCommitment <= view.commitmentsSigned[.peer] + 1
    let revocations = view.revocationsSent[.peer]
    let least = max(
      revocations == 0 ? 0 : revocations - 1,
      view.commitmentsSigned[.wallet] == 0 ? 0 : view.commitmentsSigned[.wallet] - 1)
    let isRevocationKnown =
      body.nextRevocation >= min(least, revocations) && body.nextRevocation <= revocations
    if !isCommitmentKnown || !isRevocationKnown {
      let isTooLow = body.nextCommitment < low + 1 || body.nextRevocation < min(least, revocations)
      let what = isTooLow ? "too low" : "too high"
      find(
        .reestablishNumber, frame.entry.id, body.nextCommitment, body.nextRevocation,
        view.commitmentsSigned[.peer], revocations, view.revocationsSent[.wallet], least, what, at: frame)
    }
    let secret =
      body.nextRevocation == 0
      ? [UInt8](repeating: 0, count: 32)
      : view.secretOfRevocation(body.nextRevocation - 1, by: .peer)
    if body.secret != secret || body.channel != view.channel {
      find(.reestablishSecret, frame.entry.id, at: frame)
    }
    checkFundings(of: body, view, frame)
    guard frame.entry.isActedOn else {
      links[frame.entry.connection]?.state = .failed
      find(.reestablishRefused, frame.entry.whyNot ?? "no reason recorded", at: frame)
      return
    }
    links[frame.entry.connection]?.mustResendCommitment =
      body.nextCommitment == view.commitmentsSigned[.peer] && view.isInFlight(from: .peer)
    links[frame.entry.connection]?.mustResendRevocation = body.nextRevocation != revocations
    resume(body, by: .wallet, frame)
  }
}

// Which connection is registered: the peer's fencing rule, applied again to every `init`.
extension PeerReplay {
  mutating func judge(_ claim: FenceClaim?, replacing: ReplacedFenceClaim?, _ frame: ReadFrame) {
    let id = frame.entry.connection
    let entry = evidence.ledger.connection(id)
    let isLegacy = evidence.ledger.run(at: frame.entry.atNs)?.legacy == 1
    let verdict = Self.verdict(on: claim, replacing: replacing, known: fence, isLegacy: isLegacy)
    let rows = entry.map { [$0.row] } ?? []
    if entry?.verdict != verdict {
      find(
        .connectionMisjudged, id, claim.map { "\($0.epoch)" } ?? "none", entry?.verdict ?? "not at all",
        verdict, fence.map { ", as it knew epoch \($0.epoch)" } ?? "", at: frame, rows)
    }
    if entry?.epoch != claim?.epoch || entry?.incarnation != claim?.incarnation
      || entry?.container != claim?.container
    {
      find(.connectionClaimDiffers, id, frame.entry.id, at: frame, rows)
    }
    links[id, default: Link()].state = .refused
    guard entry?.isAccepted ?? (verdict == "accepted") else { return }
    accept(claim, frame)
  }

  /// A connection of another node than the wallet's: its frames are not judged.
  func isOtherNode(_ connection: Int64) -> Bool {
    guard let entry = evidence.ledger.connection(connection), let node = entry.node else { return false }
    guard let wallet else { return entry.verdict == "visitor" }
    return node != wallet
  }

  mutating func judgeOtherNode(_ frame: ReadFrame) {
    let entry = evidence.ledger.connection(frame.entry.connection)
    guard let entry, let verdict = entry.verdict, verdict != "visitor" else { return }
    find(.otherNodeAccepted, frame.entry.connection, verdict, at: frame, [entry.row])
  }

  static func verdict(
    on claim: FenceClaim?, replacing: ReplacedFenceClaim?, known: FenceClaim?, isLegacy: Bool
  ) -> String {
    guard !isLegacy else { return "unfenced" }
    guard let claim else { return known == nil ? "unfenced" : "refused-without-fence" }
    guard let known else { return "accepted" }
    if claim.container != known.container {
      let takesPlace = replacing == ReplacedFenceClaim(epoch: known.epoch, container: known.container)
      return takesPlace && claim.epoch > known.epoch ? "accepted" : "refused-other-container"
    }
    if claim.epoch < known.epoch { return "refused-lower-epoch" }
    if claim.epoch == known.epoch, claim.incarnation != known.incarnation {
      return "refused-other-incarnation"
    }
    return "accepted"
  }

  private mutating func accept(_ claim: FenceClaim?, _ frame: ReadFrame) {
    let id = frame.entry.connection
    if let older = registered, older != id { links[older]?.state = .evicted }
    // The end of the older connection drops the wallet's updates without a commitment.
    view?.forgetUnsigned(by: .wallet)
    sequence.forgetUnsigned()
    endNegotiation(frame)
    links[id]?.state = .registered
    registered = id
    wallet = wallet ?? evidence.ledger.connection(id)?.node
    accepted.append((id, frame.entry.id))
    if let claim, claim != fence, entryIsFenced(id) {
      fence = claim
      raisedFences.append((claim, frame.entry.atNs))
    }
  }

  private func entryIsFenced(_ id: Int64) -> Bool { evidence.ledger.connection(id)?.verdict == "accepted" }
}

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
    guard body.fundings != Fundings() || view?.carried != nil else { return }
    apply(.splice(.resume(body.fundings)), by: end, frame)
  }

  /// Fundings are named if both sides offer splicing, or the channel was spliced.
  private func namesFundings(_ view: ChannelView, _ link: Link?) -> Bool {
    let areBoth = link.map { $0.offersSplices[.wallet] && $0.offersSplices[.peer] } ?? false
    return areBoth || view.openSplice != nil || view.funding.txid != view.channel
  }

  /// The fundings in the wallet's `channel_reestablish` may lack messages in flight, but none that it acknowledged.
  mutating func checkFundings(of body: WireMessage.Reestablish, _ view: ChannelView, _ frame: ReadFrame) {
    var possible: [Fundings] = []
    func add(_ next: [UInt8]?, _ needsCommitment: Bool, locked: [UInt8]) {
      var fundings = Fundings(next: next, needsCommitment: needsCommitment)
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

/// The channel's initial state. No funding flow is recorded: the peer's first journal has its initial state; without
/// that journal it is derived from the ledger's final row and the payments.
struct ChannelOpening {
  let view: ChannelView?

  init(evidence: Evidence) {
    guard let row = evidence.ledger.channels.first else {
      view = nil
      return
    }
    let core = evidence.ledger.wallet == 1 ? "peer" : "peer-\(evidence.ledger.wallet)"
    let record = evidence.journals(of: "lspd").lazy.compactMap { $0.configurations(of: core).first }.first
    let balances = record.flatMap(Self.balances) ?? Self.derived(from: row, evidence)
    view = ChannelView(
      channel: row.id, opener: row.isOpener != 0 ? .peer : .wallet, walletMsat: balances.wallet,
      peerMsat: balances.peer)
  }

  /// Nil if the recorded channel had any update already.
  private static func balances(_ record: JSONValue) -> (wallet: UInt64, peer: UInt64)? {
    guard let peer = record["localMsat"]?.integer, let wallet = record["remoteMsat"]?.integer,
      record["localCommitmentNumber"]?.integer == 0, record["remoteCommitmentNumber"]?.integer == 0,
      record["htlcs"]?.items.isEmpty == true, record["splicedTo"]?["index"] == nil, peer >= 0, wallet >= 0
    else { return nil }
    return (UInt64(wallet), UInt64(peer))
  }

  private static func derived(from row: ChannelEntry, _ evidence: Evidence) -> (wallet: UInt64, peer: UInt64)
  {
    let ledger = evidence.ledger
    let paid = ledger.payments.filter(\.isPaid)
    let open = ledger.htlcs.filter { htlc in
      htlc.direction == "offered" && ledger.payments(htlc.paymentHash).paid.isEmpty
    }
    let gone = paid.map(\.amountMsat) + open.map(\.amountMsat)
    let all = ledger.htlcs.map(\.amountMsat) + [row.localMsat, row.remoteMsat]
    // The wallet's paid amounts are the peer's, except for those still in an HTLC.
    let inChannel = Dictionary(
      ledger.htlcs.filter { $0.direction != "offered" }.map { ($0.id, $0.paymentHash) }
    ) { first, _ in first }
    let came = evidence.wallet.sent.filter { $0.isPaid && inChannel[$0.htlc] != $0.paymentHash }
    let peer = (gone + [row.localMsat]).reduce(0, &+) &- came.map(\.amountMsat).reduce(0, &+)
    // Amounts withdrawn on chain were the wallet's.
    let taken = ledger.splices.filter { $0.state == "done" }.map(\.takenMsat).reduce(0, &+)
    let wallet = all.reduce(0, &+) &- peer &+ taken
    return (UInt64(clamping: wallet), UInt64(clamping: peer))
  }
}
