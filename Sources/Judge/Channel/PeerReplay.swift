/// Replays the ledger's frames in order, as the peer should have treated them: which connection is registered, which
/// frames are processed, and how each moves the channel.
struct PeerReplay {
  struct Link {
    enum State { case awaitingInit, registered, refused, evicted, failed }
    var state = State.awaitingInit
    var receivedReestablish = false
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
      expectActed(true, frame)
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
        find(.processedUnregistered, message.name, frame.entry.id, connection, why, at: frame)
      }
      return
    }
    takeRegistered(message, frame)
  }

  private mutating func takeRegistered(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    switch message {
    case .ping, .storage: expectActed(true, frame)
    case .errorOrWarning(17, let text, _):
      expectActed(true, frame)
      links[connection]?.state = .failed
      find(.walletReportedError, connection, text, at: frame)
    case .initMessage:
      expectActed(false, frame)
      links[connection]?.state = .failed
      find(.secondInit, connection, at: frame)
    // Of gossip only queries are answered (261, 263), and each request of LSPS0 is.
    case .other(let type): expectActed([261, 263, FrameReader.serviceMessage].contains(type), frame)
    case .pong, .errorOrWarning, .retrieval, .fenceReply, .holdEnded: expectActed(false, frame)
    // The peer stores another key than the one before.
    case .pushKey: break
    case .reestablish(let body): receive(body, frame)
    case .step(let step): takeStep(step, frame)
    }
  }

  mutating func expectActed(_ isActedOn: Bool, _ frame: ReadFrame) {
    guard frame.entry.isActedOn != isActedOn else { return }
    find(.recordedOtherwise, frame.entry.id, frame.name, isActedOn ? "ignored" : "processed", at: frame)
  }

  private mutating func takeStep(_ step: ChannelStep, _ frame: ReadFrame) {
    guard frame.entry.isActedOn else {
      links[frame.entry.connection]?.state = .failed
      find(.stepRefused, step.name, frame.entry.id, frame.entry.whyNot ?? "no reason recorded", at: frame)
      return
    }
    if links[frame.entry.connection]?.receivedReestablish != true {
      find(.stepBeforeReestablish, step.name, frame.entry.id, at: frame)
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
