/// Plays the ledger's frames again, in their order, as a peer should have treated them: which connection may speak,
/// which frames may be acted on, and where each leaves the channel.
struct PeerReplay {
  struct Link {
    enum State { case initMessage, registered, refused, evicted, failed }
    var state = State.initMessage
    var saidReestablish = false
    /// What the peer says to the claim of an `init` has been said.
    var isAnswered = false
    var heardReestablish = false
    var mustResendCommitment = false
    var mustResendRevocation = false
    /// Of both `init`s: splices are for two.
    var offersSplices = Pair<Bool>(false)
    /// Pings that wait for their pong, by the size they asked for.
    var pings: ArraySlice<Int> = []
  }

  /// A step of the channel as the peer saw it, each once, however often it was sent.
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
    /// The commitment by which the wallet signed for its removal.
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
  /// The node that the channel is with.
  var wallet: [UInt8]?
  /// Fences as they must stand in the ledger's history.
  var raisedFences: [(claim: FenceClaim, atNs: Int64)] = []
  /// Accepted connections in the order of their acceptance, by the number of their `init`.
  var accepted: [(connection: Int64, frame: Int64)] = []
  var backup: [UInt8]?
  var view: ChannelView?
  /// False once the channel did something illegal: what follows cannot be judged.
  var isChannelKnown = true
  var sequence: [SequenceEntry] = []
  /// Frames that were about one.
  var spliceFrames: Set<Int64> = []
  /// Since when the two talk of a splice that binds neither.
  var talkSinceNs: Int64?
  /// Of HTLCs that the peer offered.
  var lives: [UInt64: HTLCLife] = [:]
  /// Of the parts of one payment, what the wallet has irrevocably and has not refused.
  var committedMsat: [PartKey: UInt128] = [:]
  /// When the preimage of a hash came first.
  var firstFulfilNs: [[UInt8]: Int64] = [:]
  /// The same of what the wallet offered.
  var sentLives: [UInt64: HTLCLife] = [:]
  var opening: ChannelView?

  init(evidence: Evidence) {
    self.evidence = evidence
    frames = evidence.ledger.frames
    opening = ChannelOpening(evidence: evidence).view
    view = opening
    isChannelKnown = opening != nil
    wallet = evidence.seed.flatMap { NodeIdentity.of(seed: $0) }
  }

  mutating func run() {
    for frame in frames {
      if isVisitor(frame.entry.connection) {
        judgeVisitor(frame)
        continue
      }
      guard let message = frame.message else {
        readNothing(frame)
        continue
      }
      if frame.entry.isIn { take(message, frame) } else { send(message, frame) }
    }
  }

  mutating func find(_ invariant: Int, _ sentence: String, _ frame: ReadFrame, _ more: [String] = []) {
    findings.append(
      Finding(invariant: invariant, sentence: sentence, rows: [frame.entry.evidence] + more))
  }

  /// Bytes that are no message may come in, if nothing was done with them; none may have gone out.
  private mutating func readNothing(_ frame: ReadFrame) {
    let problem = frame.problem ?? "it is no message"
    if frame.entry.isIn && !frame.entry.isActedOn {
      links[frame.entry.connection, default: Link()].state = .failed
      find(2, "The wallet sent frame \(frame.entry.id), which is no message: \(problem)", frame)
    } else {
      find(2, "Frame \(frame.entry.id) is no message of this version: \(problem)", frame)
    }
  }

  // MARK: From the wallet

  private mutating func take(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    let link = links[connection] ?? Link()
    if case .initMessage(let claim, _, let features, let replaces) = message, link.state == .initMessage {
      expectActed(true, frame)
      links[connection, default: Link()].offersSplices[.wallet] = SpliceFeatures.areOffered(by: features)
      judge(claim, replacing: replaces, frame)
      return
    }
    guard link.state == .registered, registered == connection else {
      if frame.entry.isActedOn {
        let newest = registered.map { "connection \($0) was registered" } ?? "no connection was registered"
        find(
          1,
          "The peer processed \(message.name) (frame \(frame.entry.id)) of connection \(connection), "
            + "which is not the registered one: \(newest)", frame)
      }
      return
    }
    takeRegistered(message, frame)
  }

  private mutating func takeRegistered(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    switch message {
    case .ping(let size):
      expectActed(true, frame)
      if size < 65532 { links[connection]?.pings.append(size) }
    case .storage(let blob):
      expectActed(true, frame)
      backup = blob
    case .complaint(17, let text, _):
      expectActed(true, frame)
      links[connection]?.state = .failed
      find(2, "The wallet reported an error on connection \(connection): \(text)", frame)
    case .initMessage:
      expectActed(false, frame)
      links[connection]?.state = .failed
      find(2, "The wallet sent a second init on connection \(connection)", frame)
    // Questions about the network are answered, and nothing else of it.
    case .other(let type): expectActed(type == 261 || type == 263, frame)
    case .pong, .complaint, .retrieval, .fenceReply: expectActed(false, frame)
    case .reestablish(let body): hear(body, frame)
    case .step(let step): takeStep(step, frame)
    }
  }

  mutating func expectActed(_ isActedOn: Bool, _ frame: ReadFrame) {
    guard frame.entry.isActedOn != isActedOn else { return }
    find(
      2,
      "Frame \(frame.entry.id) (\(frame.name)) is recorded as \(isActedOn ? "ignored" : "processed"), "
        + "which it cannot have been", frame)
  }

  private mutating func takeStep(_ step: ChannelStep, _ frame: ReadFrame) {
    guard frame.entry.isActedOn else {
      links[frame.entry.connection]?.state = .failed
      find(
        2,
        "The peer refused \(step.name) (frame \(frame.entry.id)) of the wallet: "
          + (frame.entry.whyNot ?? "no reason recorded"), frame)
      return
    }
    if links[frame.entry.connection]?.heardReestablish != true {
      find(2, "The peer processed \(step.name) (frame \(frame.entry.id)) before channel_reestablish", frame)
    }
    apply(step, by: .wallet, frame)
  }

  // MARK: From the peer

  private mutating func send(_ message: WireMessage, _ frame: ReadFrame) {
    let connection = frame.entry.connection
    switch message {
    case .initMessage(_, let reply, let features, _):
      links[connection, default: Link()].offersSplices[.peer] = SpliceFeatures.areOffered(by: features)
      // An older peer answered the claim in its init.
      if let reply { checkReply(reply, frame) }
    case .fenceReply(let reply): checkReply(reply, frame)
    case .retrieval(let blob):
      if blob != backup {
        find(4, "Frame \(frame.entry.id) gives the wallet another backup than it stored last", frame)
      }
    case .complaint(1, _, endsRest: true) where registered == connection && mayEndRest(frame):
      links[connection]?.state = .failed
    case .complaint(let type, let text, _):
      // Who never showed a claim is not the wallet: what a stranger is told says nothing about it.
      let wasStranger = (links[connection]?.state ?? .initMessage) == .initMessage
      links[connection]?.state = .failed
      guard !wasStranger else { return }
      let what = type == 17 ? "reported an error" : "warned"
      find(2, "The peer \(what) on connection \(connection): \(text)", frame)
    case .pong(let size):
      if links[connection]?.pings.first == size {
        links[connection]?.pings.removeFirst()
      } else {
        find(4, "Frame \(frame.entry.id) is a pong of \(size) bytes that no ping asked for", frame)
      }
    case .reestablish(let body): checkSaid(body, frame)
    case .step(let step): sendStep(step, frame)
    case .ping where links[connection]?.state == .registered: break
    // Answers about the network.
    case .other(262), .other(264): break
    case .ping, .storage, .other:
      find(4, "The peer sent \(message.name) (frame \(frame.entry.id)), which it never does", frame)
    }
  }
}
