// LightningNode: the wallet's node. Pure: no clock, no randomness, no I/O. What it knows of the provider comes over the
// wire: nothing of the provider's code is imported.

import Ground
import Bitcoin
import LightningWire
import LightningChannel

/// The wallet's end of the channel, from the claim of an epoch to its release.
///
/// Three rules shape it. The row is checked before every dial. What the peer greets with is answered only after
/// one more look into the container, which gives the state to speak from: whatever was in memory may be another
/// owner's past. And every step is durable, under the fence, before anything of it is sent.
public struct NodeMachine: Core {
  public static let name = "node"
  public static var deadlineReached: NodeEvent { .deadlineReached }

  enum State: Hashable, Codable, Sendable {
    /// Not started, or refused, or fenced: no socket. → checkingRow
    case stopped
    /// There is no network to dial over. → checkingRow, stopped
    case offline
    /// Waiting to dial again. → checkingRow, offline, stopped
    case pausing(until: Instant)
    /// The row is read before the dial. → dialling, pausing, offline, stopped
    case checkingRow
    /// → `init`, pausing, offline, stopped
    case dialling(giveUpAt: Instant)
    /// Connected; waiting for what the peer sends on its registered connection. → reading, pausing, offline,
    /// stopped
    case initMessage(Heard, giveUpAt: Instant)
    /// The container is read once more before we speak. → resuming, readingAgain, pausing, offline,
    /// stopped
    case reading(Heard)
    /// The read was blocked. → reading, pausing, offline, stopped
    case readingAgain(Heard, at: Instant)
    /// A restored or new channel is being made durable. → reading (a backup), resuming, pausing, offline,
    /// stopped
    case adopting(Heard)
    /// The peer knows more than we do and may still send our backup. → adopting, mute, pausing, offline,
    /// stopped
    case awaitingBackup(Heard, giveUpAt: Instant)
    /// The channel runs. → pausing, draining, offline, stopped
    case established
    /// Speaking would do harm (state lost, newer program needed): connected and silent. → pausing, offline,
    /// stopped
    case mute
    /// Hanging up. → stopped
    case draining(giveUpAt: Instant)
    /// The peer has failed the channel: nobody is dialled for it any more. → stopped
    case failed
  }

  /// What the peer has said on this connection before we spoke.
  struct Heard: Hashable, Codable, Sendable {
    var initMessage: InitMessage?
    var reestablish: ChannelReestablish?
    var backup: BackupReading?
  }

  /// A step that is being made durable, and what follows when it is.
  struct Step: Hashable, Codable, Sendable {
    var change: NodeChange
    var outgoing: [NodeOutgoing] = []
    var retryAt: Instant?
  }

  static let storeRetry = TimeSpan.milliseconds(100)
  static let backupBound = TimeSpan.seconds(5)
  static let drainBound = TimeSpan.seconds(1)

  let terms: ChannelTerms
  let rules: ConnectionRules
  let multiPartWindow: TimeSpan
  let fundingKey: CurvePoint?
  var state = State.stopped
  /// Under which the node speaks.
  var claim: Claim?
  /// Whose place it takes at the peer, if the user has said so.
  var replacing: ReplacedClaim?
  /// What is durable, as far as this owner knows.
  var node = NodeState()
  /// What it becomes with the step under way.
  var channel: Channel?
  var step: Step?
  var connection = NodeConnection()
  /// Each stores or cancels an invoice, behind the step under way.
  var invoiceChanges: [NodeChange] = []
  var wantedPayments = WantedPayments()
  var pace: DialPace
  /// The peer's, of the channel of this owner.
  var failure: ChannelFailure?
  /// What is written of it, until that is begun.
  var failureToStore: NodeChange?
  var acceptsPayments = true
  /// In the order of their first parts.
  var partials: [PartialPayment] = []
  /// What the guard knows of it, since the node was started.
  var saidActivity = NodeActivity.nothing
  var wantedSplice: WantedSplice?
  var unanswered = Unanswered()
  /// A write has failed since the container was read: it may be durable, and then the state here is behind.
  var isBehindContainer = false
  /// What the phone last said of it.
  var isNetworkThere = true

  public init(configuration: Configuration) {
    terms = configuration.terms
    rules = configuration.rules
    pace = DialPace(overTor: configuration.overTor == true)
    multiPartWindow = configuration.multiPartWindow
    fundingKey = configuration.fundingKey
  }

  /// The channel as it is stored, for the port that puts preimages into messages.
  public var durableChannel: Channel? { node.channel }
  /// All of it that is durable, as far as this owner knows.
  public var durableState: NodeState { node }
  /// Nobody has started it, or it was stopped.
  public var isStopped: Bool { stage == .stopped }

  public var deadline: Instant? {
    var earliest: Instant?
    switch state {
    case .pausing(let instant), .dialling(let instant), .initMessage(_, let instant),
      .readingAgain(_, let instant),
      .awaitingBackup(_, let instant), .draining(let instant):
      earliest = instant
    case .stopped, .offline, .checkingRow, .reading, .adopting, .established, .mute, .failed: break
    }
    // It is asked after every event: no list is made for it.
    func consider(_ candidate: Instant?) {
      guard let candidate else { return }
      earliest = min(earliest ?? candidate, candidate)
    }
    consider(step?.retryAt)
    consider(silenceEndsAt)
    consider(partialsEnd)
    consider(wantedPayments.giveUpAt(besides: step))
    consider(unanswered.giveUpAt)
    consider(spliceDeadline)
    return earliest
  }

  public mutating func handle(_ event: NodeEvent, at now: Instant) -> [NodeDirective] {
    react(to: event, at: now) + storeInvoiceChanges()
  }

  private mutating func react(to event: NodeEvent, at now: Instant) -> [NodeDirective] {
    switch event {
    case .deadlineReached: return deadlineReached(at: now)
    case .started(let claim, let state, let replaced):
      return started(claim, state, replacing: replaced, at: now)
    case .stopRequested(let gracefully): return stopRequested(gracefully: gracefully, at: now)
    case .handoverRequested:
      acceptsPayments = false
      return []
    case .rowRead(let row): return rowRead(row, at: now)
    case .checkedAfterInit(let row, let state): return checkedAfterInit(row, state, at: now)
    case .written: return written(at: now)
    case .fenced: return fenced()
    case .storeBlocked: return storeBlocked(at: now)
    case .storeFailed(let sentence), .storeLost(let sentence): return storeFailed(sentence, at: now)
    case .dialled: return dialled(at: now)
    case .received(let message):
      heard(at: now)
      return received(message, at: now)
    case .backupReceived(let reading):
      heard(at: now)
      return backupReceived(reading, at: now)
    case .closed(let why): return closed(why, at: now)
    case .networkChanged(let isThere): return networkChanged(isThere: isThere)
    case .userCame: return hurry()
    case .peerMayBeThere: return endLongPause(at: now)
    case .invoiceMade(let invoice): return changeInvoice(NodeChange(newInvoice: invoice))
    case .invoiceCancelRequested(let hash): return changeInvoice(NodeChange(cancelled: hash))
    case .payRequested(let payment, let past): return payRequested(payment, past: past, at: now)
    case .spliceRequested(let request): return spliceRequested(request, at: now)
    }
  }

  // MARK: Starting and stopping

  private mutating func started(
    _ claim: Claim, _ state: NodeState, replacing replaced: ReplacedClaim?, at now: Instant
  ) -> [NodeDirective] {
    guard stage == .stopped else { return [] }
    step = nil
    wantedPayments = WantedPayments()
    let unbegun = refuseSplice(Self.spliceGivenUp) + unanswered.giveUp()
    forgetConnection()
    self.claim = claim
    replacing = replaced
    learn(state, at: now)
    pace.startAnew()
    failure = nil
    failureToStore = nil
    acceptsPayments = true
    saidActivity = .nothing
    if node.failure != nil { return unbegun + [.report(.connecting)] + restsFailed() }
    return unbegun + [.report(.connecting)] + dialOrWait()
  }

  mutating func dialOrWait() -> [NodeDirective] {
    state = isNetworkThere ? .checkingRow : .offline
    return isNetworkThere ? [.checkRow] : [.report(.trouble(Self.noNetwork))]
  }

  /// A connection that the phone has ended is not waited for, and no dial is counted as one that led nowhere.
  private mutating func networkChanged(isThere: Bool) -> [NodeDirective] {
    guard isThere != isNetworkThere else { return [] }
    isNetworkThere = isThere
    switch state {
    case .stopped, .failed: return []
    case .draining:
      forgetConnection()
      state = .stopped
      return [.cutOff, .report(.stopped)]
    case .offline:
      pace.startAnew()
      return dialOrWait()
    default:
      forgetConnection()
      return refuseTalk(Self.spliceLost) + [.cutOff] + dialOrWait() + [.report(.connecting)]
    }
  }

  static let noNetwork = "there is no network"

  private mutating func stopRequested(gracefully: Bool, at now: Instant) -> [NodeDirective] {
    let wasConnected = isConnected
    let refusals = giveUpWaitingWrites()
    switch state {
    case .stopped: return refusals + [.report(.stopped)]
    case .draining where gracefully: return []
    default: break
    }
    forgetConnection()
    guard wasConnected, gracefully else {
      state = .stopped
      return refusals + [.cutOff, .report(.stopped)]
    }
    state = .draining(giveUpAt: now + Self.drainBound)
    return refusals + [.hangUp]
  }

  mutating func fenced() -> [NodeDirective] {
    let refusals = refuseInvoices(Self.givenUp, besides: step)
    step = nil
    guard stage != .stopped else { return refusals + refuseSplice(Self.spliceGivenUp) }
    let unpaid = refusePayments(Self.payGivenUp) + refuseSplice(Self.spliceGivenUp) + unanswered.giveUp()
    forgetConnection()
    claim = nil
    replacing = nil
    node = NodeState()
    state = .stopped
    return refusals + unpaid + [.cutOff, .report(.fenced)]
  }

  /// Everything that belonged to a connection or to a step that was not made durable.
  ///
  /// A step whose answer is still on its way is kept until that comes, as it may be durable already and somebody
  /// waits to hear what it received; but nothing of it is sent on a connection that is gone.
  mutating func forgetConnection() {
    connection = NodeConnection()
    if step?.retryAt != nil, step?.change.isOfInvoice == false { step = nil }
    step?.outgoing = []
    channel = nil
    partials = []
  }

  /// A write that was blocked is not tried again: after the release nobody may be inside a transaction for a node
  /// that was given up. Whoever waits for an invoice hears so; of one whose write is under way the answer of that tells.
  mutating func giveUpWaitingWrites() -> [NodeDirective] {
    let blocked = step?.retryAt == nil ? nil : step
    let refusals = refuseInvoices(Self.givenUp, besides: blocked)
    if blocked != nil { step = nil }
    return refusals + refusePayments(Self.payGivenUp) + refuseSplice(Self.spliceGivenUp) + unanswered.giveUp()
  }

  var isConnected: Bool {
    switch state {
    case .initMessage, .reading, .readingAgain, .adopting, .awaitingBackup, .established, .mute, .draining: true
    case .stopped, .offline, .pausing, .checkingRow, .dialling, .failed: false
    }
  }

  // MARK: Deadlines

  private mutating func deadlineReached(at now: Instant) -> [NodeDirective] {
    guard let deadline, now >= deadline else { return [] }
    if var waiting = step, let retryAt = waiting.retryAt, now >= retryAt {
      waiting.retryAt = nil
      step = waiting
      return write(waiting.change)
    }
    if let end = wantedPayments.giveUpAt(besides: step), now >= end { return refuseLatePayments(at: now) }
    if let giveUpAt = unanswered.giveUpAt, now >= giveUpAt { return unanswered.giveUp() }
    if let spliceDeadline, now >= spliceDeadline { return spliceLate(at: now) }
    if let partialsEnd, now >= partialsEnd { return advance(mustStore: false, at: now) }
    switch state {
    case .pausing:
      state = .checkingRow
      return [.checkRow]
    case .dialling: return redial("the peer did not answer the dial", at: now)
    case .initMessage(let heard, _) where heard.initMessage != nil:
      return redial("the peer sent init and no channel_reestablish for a channel with this wallet", at: now)
    case .initMessage: return redial("the peer sent no init in time", at: now)
    case .readingAgain(let heard, _):
      state = .reading(heard)
      return [.checkAfterInit]
    case .awaitingBackup: return mute("the peer knows a newer state of the channel and has no backup of it")
    case .draining:
      state = .stopped
      return [.cutOff, .report(.stopped)]
    case .established, .mute: return silenceEnded(at: now)
    case .stopped, .offline, .checkingRow, .reading, .adopting, .failed: return []
    }
  }

  mutating func mute(_ sentence: String) -> [NodeDirective] {
    state = .mute
    return [.report(.trouble(sentence))]
  }

  /// Whether the row says that this node's claim is the one in force.
  func owns(_ row: ClaimRow?) -> Bool { claim?.owns(row) == true }

  /// Begun only by who has a claim: whoever is fenced has none, and no step.
  func write(_ change: NodeChange) -> [NodeDirective] { claim.map { [.write(change, under: $0)] } ?? [] }
}
