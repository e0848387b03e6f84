// LightningNode: the wallet's node. Pure: no clock, no randomness, no I/O. It imports nothing of the LSP's code.

import Ground
import Lightning

/// The wallet's end of the channel, from the claim of an epoch to its release.
///
/// It has three rules. The claim row is checked before every dial. After the peer's `init` and `channel_reestablish`
/// the container is read again, and the node answers from that state: the state in memory may be older than another
/// owner's writes. And every step is durable, under the fence, before a message of it is sent.
public struct NodeMachine: Core {
  public static let name = "node"
  public static var deadlineReached: NodeEvent { .deadlineReached }

  enum State: Hashable, Codable, Sendable {
    /// Not started, or refused, or fenced: no socket. → preparing, checkingRow, offline, failed
    case stopped
    /// Started, and waiting for something outside that it needs before the first dial. → checkingRow, offline, stopped
    case preparing(until: Instant)
    /// There is no network to dial over. → checkingRow, stopped
    case offline
    /// Waiting to dial again. → checkingRow, offline, stopped
    case pausing(until: Instant)
    /// The row is read before the dial. → dialling, pausing, offline, stopped
    case checkingRow
    /// The TCP connection is being opened. → exchangingInit, pausing, offline, stopped
    case dialling(giveUpAt: Instant)
    /// Connected; waiting for the peer's `init` and `channel_reestablish`. → reading, pausing, offline, stopped
    case exchangingInit(Heard, giveUpAt: Instant)
    /// The container is read again before `channel_reestablish` is sent. → established, readingAgain, pausing, offline,
    /// stopped
    case reading(Heard)
    /// The read was blocked. → reading, pausing, offline, stopped
    case readingAgain(Heard, at: Instant)
    /// A restored or new channel is being made durable. → reading (a backup), established, pausing, offline,
    /// stopped
    case adopting(Heard)
    /// The peer has a newer state than we do and may still send our backup. → adopting, mute, pausing, offline,
    /// stopped
    case awaitingBackup(Heard, giveUpAt: Instant)
    /// The channel is in use. → pausing, draining, offline, stopped
    case established
    /// Connected and silent: sending would do harm (state lost, newer program needed). → pausing, offline, stopped
    case mute
    /// Disconnecting. → stopped
    case draining(giveUpAt: Instant)
    /// The peer has failed the channel and is not dialled any more. → stopped
    case failed
  }

  /// The messages received on this connection before our `channel_reestablish`.
  struct Heard: Hashable, Codable, Sendable {
    var initMessage: InitMessage?
    var reestablish: ChannelReestablish?
    var backup: BackupReading?
  }

  /// A step that is being made durable, and the messages to send when it is.
  struct Step: Hashable, Codable, Sendable {
    var change: NodeChange
    var outgoing: [NodeOutgoing] = []
    var retryAt: Instant?
  }

  static let storeRetry = TimeSpan.milliseconds(100)
  static let backupBound = TimeSpan.seconds(5)
  static let drainBound = TimeSpan.seconds(1)

  package static let peerIsAhead = "the peer knows a newer state of the channel and has no backup of it"

  let terms: ChannelTerms
  let rules: ConnectionRules
  let multiPartWindow: TimeSpan
  let keepsPartsInMemory: Bool
  let startDelay: TimeSpan
  let fundingKey: CurvePoint?
  let pushKey: CurvePoint?
  var state = State.stopped
  /// The claim that `init` carries.
  var claim: Claim?
  /// The wallet whose fence at the peer this claim replaces, if the user has asked for that.
  var replacing: ReplacedClaim?
  /// The durable state, as far as this owner knows.
  var node = NodeState()
  /// The channel after the step under way.
  var channel: Channel?
  var step: Step?
  var connection = NodeConnection()
  /// Each stores or cancels an invoice, after the step under way.
  var invoiceChanges: [NodeChange] = []
  var wantedPayments = WantedPayments()
  var wantedWebhooks = WantedWebhookRequests()
  var pace: DialPace
  /// The peer has failed this owner's channel.
  var failure: ChannelFailure?
  /// The write of the failure, until it has begun.
  var failureToStore: NodeChange?
  var acceptsPayments = true
  /// In the order of their first parts.
  var partials: [PartialPayment] = []
  /// With `keepsPartsInMemory`: the HTLCs that were committed before this connection.
  var partsOfOthers: [UInt64] = []
  /// The activity last reported to the guard since the node was started.
  var saidActivity = NodeActivity.nothing
  var wantedSplice: WantedSplice?
  var unanswered = Unanswered()
  /// A write has failed since the container was read: it may be durable all the same, and the state here outdated.
  var isBehindContainer = false
  /// As the phone last reported.
  var isNetworkThere = true

  public init(configuration: Configuration) {
    terms = configuration.terms
    rules = configuration.rules
    pace = DialPace(overTor: configuration.overTor)
    multiPartWindow = configuration.multiPartWindow
    keepsPartsInMemory = configuration.keepsPartsInMemory
    startDelay = configuration.startDelay
    fundingKey = configuration.fundingKey
    pushKey = configuration.pushKey
  }

  /// The stored channel, for the port that puts preimages into messages.
  public var durableChannel: Channel? { node.channel }
  /// The durable state, as far as this owner knows.
  public var durableState: NodeState { node }
  /// The node was not started, or it was stopped.
  public var isStopped: Bool { stage == .stopped }

  public var deadline: Instant? {
    var earliest: Instant?
    switch state {
    case .preparing(let instant), .pausing(let instant), .dialling(let instant),
      .exchangingInit(_, let instant), .readingAgain(_, let instant),
      .awaitingBackup(_, let instant), .draining(let instant):
      earliest = instant
    case .stopped, .offline, .checkingRow, .reading, .adopting, .established, .mute, .failed: break
    }
    // No array: this is computed after every event.
    func consider(_ candidate: Instant?) {
      guard let candidate else { return }
      earliest = min(earliest ?? candidate, candidate)
    }
    consider(step?.retryAt)
    consider(silenceEndsAt)
    consider(partialsEnd)
    consider(wantedPayments.giveUpAt(besides: step))
    consider(wantedWebhooks.giveUpAt)
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
    case .userCame: return endPause()
    case .reconnectRequested: return connectAgain()
    case .peerMayBeThere: return endLongPause(at: now)
    case .invoiceMade(let invoice): return changeInvoice(NodeChange(newInvoice: invoice))
    case .invoiceCancelRequested(let hash): return changeInvoice(NodeChange(cancelled: hash))
    case .payRequested(let payment, let past): return payRequested(payment, past: past, at: now)
    case .spliceRequested(let request): return spliceRequested(request, at: now)
    case .webhookRequested(let id, let request): return webhookRequested(id, request, at: now)
    }
  }

  // MARK: Starting and stopping

  private mutating func started(
    _ claim: Claim, _ state: NodeState, replacing replaced: ReplacedClaim?, at now: Instant
  ) -> [NodeDirective] {
    guard stage == .stopped else { return [] }
    step = nil
    wantedPayments = WantedPayments()
    let unbegun =
      refuseSplice(Self.spliceGivenUp) + unanswered.giveUp() + wantedWebhooks.refuse(Self.webhookGivenUp)
    forgetConnection()
    self.claim = claim
    replacing = replaced
    learn(state, at: now)
    pace.startAnew()
    failure = nil
    failureToStore = nil
    acceptsPayments = true
    saidActivity = .nothing
    if node.failure != nil { return unbegun + [.report(.connecting)] + stayFailed() }
    return unbegun + [.report(.connecting)] + prepare(at: now)
  }

  /// The wait blocks nobody: a node that is not wanted any more stops at once. A move to this device goes on with a
  /// start that has waited already.
  private mutating func prepare(at now: Instant) -> [NodeDirective] {
    guard startDelay > .zero, replacing == nil else { return dialOrWait() }
    state = .preparing(until: now + startDelay)
    return []
  }

  mutating func dialOrWait() -> [NodeDirective] {
    state = isNetworkThere ? .checkingRow : .offline
    return isNetworkThere ? [.checkRow] : [.report(.trouble(Self.noNetwork))]
  }

  /// A connection whose network is gone is cut off at once, and its dial does not count as a failed attempt.
  private mutating func networkChanged(isThere: Bool) -> [NodeDirective] {
    guard isThere != isNetworkThere else { return [] }
    isNetworkThere = isThere
    switch state {
    case .stopped, .preparing, .failed: return []
    case .draining:
      forgetConnection()
      state = .stopped
      return [.cutOff, .report(.stopped)]
    case .offline:
      pace.startAnew()
      return dialOrWait()
    default:
      forgetConnection()
      return refuseNegotiation(Self.spliceLost) + [.cutOff] + dialOrWait() + [.report(.connecting)]
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
    let unpaid =
      refusePayments(Self.payGivenUp) + refuseSplice(Self.spliceGivenUp) + unanswered.giveUp()
      + wantedWebhooks.refuse(Self.webhookGivenUp)
    forgetConnection()
    claim = nil
    replacing = nil
    node = NodeState()
    state = .stopped
    return refusals + unpaid + [.cutOff, .report(.fenced)]
  }

  /// Drops the state of the connection, and a step that waits for another attempt to write it.
  ///
  /// A step whose answer is pending is kept until the answer comes: it may be durable already, and its receipts have
  /// to be reported. Its messages are dropped with the connection.
  mutating func forgetConnection() {
    connection = NodeConnection()
    if step?.retryAt != nil, step?.change.isOfInvoice == false { step = nil }
    step?.outgoing = []
    wantedWebhooks.forgetConnection()
    channel = nil
    partials = []
  }

  /// A blocked write is not tried again: after the release no transaction may be open for a stopped node. Requests
  /// that wait for it are refused; a request whose write is under way is answered by that write.
  mutating func giveUpWaitingWrites() -> [NodeDirective] {
    let blocked = step?.retryAt == nil ? nil : step
    let refusals = refuseInvoices(Self.givenUp, besides: blocked)
    if blocked != nil { step = nil }
    return refusals + refusePayments(Self.payGivenUp) + refuseSplice(Self.spliceGivenUp) + unanswered.giveUp()
      + wantedWebhooks.refuse(Self.webhookGivenUp)
  }

  var isConnected: Bool {
    switch state {
    case .exchangingInit, .reading, .readingAgain, .adopting, .awaitingBackup, .established, .mute, .draining:
      true
    case .stopped, .preparing, .offline, .pausing, .checkingRow, .dialling, .failed: false
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
    if let end = wantedWebhooks.giveUpAt, now >= end {
      return wantedWebhooks.refuse(Self.webhookTimedOut, lateAt: now)
    }
    if let giveUpAt = unanswered.giveUpAt, now >= giveUpAt { return unanswered.giveUp() }
    if let spliceDeadline, now >= spliceDeadline { return spliceLate(at: now) }
    if let partialsEnd, now >= partialsEnd { return advance(mustStore: false, at: now) }
    switch state {
    case .preparing: return dialOrWait()
    case .pausing:
      state = .checkingRow
      return [.checkRow]
    case .dialling: return redial("the peer did not answer the dial", at: now)
    case .exchangingInit(let heard, _) where heard.initMessage != nil:
      return redial("the peer sent init and no channel_reestablish for a channel with this wallet", at: now)
    case .exchangingInit: return redial("the peer sent no init in time", at: now)
    case .readingAgain(let heard, _):
      state = .reading(heard)
      return [.checkAfterInit]
    // The first backup of all may be stored late too.
    case .awaitingBackup: return redial(Self.peerIsAhead, at: now)
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

  /// Whether the row has this node's claim.
  func owns(_ row: ClaimRow?) -> Bool { claim?.owns(row) == true }

  /// Needs a claim: a fenced node has none, and no step.
  func write(_ change: NodeChange) -> [NodeDirective] { claim.map { [.write(change, under: $0)] } ?? [] }
}
