// Wallet/Node: the wallet's node. Pure: no clock, no randomness, no I/O. It imports nothing of the LSP's code.

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
  /// Until they are durable in the channel.
  var wantedPayments = Wanted<Bytes32, OutgoingPayment>()
  var wantedWebhooks = Wanted<String, WebhookRequest>()
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
    earliest.bound(by: step?.retryAt)
    earliest.bound(by: silenceEndsAt)
    earliest.bound(by: partialsEnd)
    earliest.bound(by: wantedPayments.giveUpAt(besides: step?.offered ?? []))
    earliest.bound(by: wantedWebhooks.giveUpAt())
    earliest.bound(by: unanswered.giveUpAt)
    earliest.bound(by: spliceDeadline)
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
    wantedPayments = Wanted()
    let unbegun =
      refuseSplice(Self.spliceGivenUp) + unanswered.giveUp() + refuseWebhooks(Self.webhookGivenUp)
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
      + refuseWebhooks(Self.webhookGivenUp)
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
    for index in wantedWebhooks.all.indices { wantedWebhooks.all[index].isSent = false }
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
      + refuseWebhooks(Self.webhookGivenUp)
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
    if let end = wantedPayments.giveUpAt(besides: step?.offered ?? []), now >= end {
      return refuseLatePayments(at: now)
    }
    if let end = wantedWebhooks.giveUpAt(), now >= end {
      return refuseWebhooks(Self.webhookTimedOut, lateAt: now)
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

extension NodeMachine {
  public struct Configuration: Hashable, Codable, Sendable {
    public var terms: ChannelTerms
    public var rules: ConnectionRules
    /// The peer is reached over Tor: the limits for a dial and an `init` are three times as long.
    public var overTor: Bool
    /// How long the parts of a payment wait for the others. BOLT 4 requires at least a minute.
    public var multiPartWindow: TimeSpan
    /// An owner counts only the parts that it received itself, as Phoenix's processes do. Otherwise the parts in the
    /// container count, whichever process received them.
    public var keepsPartsInMemory: Bool
    /// This wallet's funding key for splices. Nil: the wallet does not splice.
    public var fundingKey: CurvePoint?
    /// How long the start of the node waits for something outside, such as a server of fee rates, before it dials.
    public var startDelay: TimeSpan
    /// The key that this wallet's pushes are sealed to; each connection tells the peer. Nil: the wallet has none.
    public var pushKey: CurvePoint?

    public init(
      terms: ChannelTerms = .standard, rules: ConnectionRules = .standard, overTor: Bool = false,
      multiPartWindow: TimeSpan = .seconds(60), keepsPartsInMemory: Bool = false,
      fundingKey: CurvePoint? = nil, startDelay: TimeSpan = .zero, pushKey: CurvePoint? = nil
    ) {
      self.terms = terms
      self.rules = rules
      self.overTor = overTor
      self.multiPartWindow = multiPartWindow
      self.keepsPartsInMemory = keepsPartsInMemory
      self.fundingKey = fundingKey
      self.startDelay = startDelay
      self.pushKey = pushKey
    }
  }
}

// Which payments are accepted: complete ones of an open invoice, each once.
extension NodeMachine {
  /// Accepts complete payments in one step, keeps incomplete ones waiting, and fails the rest.
  mutating func decide(_ channel: inout Channel, at now: Instant) -> [Receipt] {
    var accepted: [Receipt] = []
    var waiting: [PartialPayment] = []
    for set in sets(of: channel.committedHTLCs) {
      let invoice = node.invoices.first { invoice in
        invoice.paymentHash == set.paymentHash && !accepted.contains { $0.invoice == invoice }
      }
      switch (set.verdict(for: invoice), invoice) {
      case (.whole, let invoice?):
        Self.remove(set, from: &channel, failing: nil)
        accepted.append(Receipt(invoice: invoice, amountMsat: set.amountMsat))
      case (.incomplete, _):
        let known = partials.first { $0.paymentHash == set.paymentHash }
        let partial = known ?? PartialPayment(paymentHash: set.paymentHash, endsAt: now + multiPartWindow)
        if partial.endsAt <= now {
          Self.remove(set, from: &channel, failing: FailureCode.mppTimeout)
        } else if !waiting.contains(partial) {
          waiting.append(partial)
        }
      case (.refused, _), (.whole, nil):
        Self.remove(set, from: &channel, failing: FailureCode.incorrectOrUnknownPaymentDetails)
      }
    }
    partials = waiting
    return accepted
  }

  /// Without the container's parts one payment is two incomplete sets.
  private func sets(of htlcs: [HTLC]) -> [PaymentSet] {
    guard keepsPartsInMemory else { return PaymentSet.all(of: htlcs) }
    return PaymentSet.all(of: htlcs.filter { partsOfOthers.contains($0.id) })
      + PaymentSet.all(of: htlcs.filter { !partsOfOthers.contains($0.id) })
  }

  private static func remove(_ set: PaymentSet, from channel: inout Channel, failing code: UInt16?) {
    for part in set.parts {
      do throws(ChannelError) {
        if let code { try channel.fail(part.id, code: code) } else { try channel.fulfill(part.id) }
      } catch {
        // Cannot happen: `committedHTLCs` lists only removable HTLCs. The HTLC stays as it is.
        continue
      }
    }
  }

  /// When the first incomplete payment times out; nil while no decision would be taken.
  var partialsEnd: Instant? {
    guard stage == .established, step == nil, acceptsPayments, channel?.mayUpdate == true else { return nil }
    return partials.map(\.endsAt).min()
  }
}

// The peer sends `error`. BOLT 1: with the channel's id, or zero for all channels, it fails the channel; with
// another id it has no effect.
extension NodeMachine {
  mutating func errorReported(_ error: ErrorOrWarning, at now: Instant) -> [NodeDirective] {
    let isForAll = error.channel == .zero
    // No write is begun while disconnecting: a peer that has failed the channel repeats the error (BOLT 2).
    if case .draining = state { return redial("the peer reports an error: \(error.text)", at: now) }
    let backup = backupOfLaterState
    guard let id = node.channel?.id ?? channel?.id ?? backup?.channel.id,
      error.channel == id || isForAll && peerKnows(id)
    else {
      guard isForAll || node.channel == nil else {
        return [.report(.trouble("the peer reports an error about another channel: \(error.text)"))]
      }
      return redial("the peer reports an error: \(error.text)", at: now)
    }
    return channelFailed(ChannelFailure(channel: id, reason: error.text), backup)
  }

  /// A backup newer than the container: the container is new, or another container of this wallet has used the
  /// channel since.
  private var backupOfLaterState: NodeBackup? {
    guard step?.change.channel == nil, case .backup(let backup)? = earlyMessages?.backup,
      backup.channel.isNewer(than: node.channel)
    else { return nil }
    return backup
  }

  private var earlyMessages: Heard? {
    switch state {
    case .exchangingInit(let heard, _), .reading(let heard), .readingAgain(let heard, _),
      .adopting(let heard),
      .awaitingBackup(let heard, _):
      heard
    default: nil
    }
  }

  /// Whether the peer has shown that it knows this channel. A peer that has not may be another node, at a wrong
  /// address: its error about all channels is not about this one. The channel's own peer repeats its error with the
  /// channel's id.
  private func peerKnows(_ id: Bytes32) -> Bool {
    if stage == .established { return true }
    if case .backup(let backup)? = earlyMessages?.backup, backup.channel.id == id { return true }
    return earlyMessages?.reestablish?.channel == id
  }

  /// Refuses all pending requests. The step that is being stored goes on, and the failure is stored after it.
  private mutating func channelFailed(_ failure: ChannelFailure, _ backup: NodeBackup?) -> [NodeDirective] {
    let refusals = refuseInvoices(failure.sentence, besides: nil)
    let unpaid = refusePayments(failure.sentence) + refuseSplice(failure.sentence) + unanswered.giveUp()
    let lost: [NodeDirective] = stage == .established ? [.report(.connecting)] : []
    forgetConnection()
    state = .failed
    self.failure = failure
    var change = backup.map(adoption) ?? NodeChange()
    change.failure = failure
    failureToStore = change
    return refusals + unpaid + [.cutOff, .report(.trouble(failure.sentence))] + lost + storeFailure()
  }

  /// After the step under way. A stopped owner begins no write: the peer sends the error to the next one.
  mutating func storeFailure() -> [NodeDirective] {
    guard stage == .failed, step == nil, let change = failureToStore else { return [] }
    failureToStore = nil
    step = Step(change: change)
    return write(change)
  }

  /// Another owner has stored the channel's failure: the peer is not dialled.
  mutating func stayFailed() -> [NodeDirective] {
    guard let failure = node.failure else { return [] }
    let refusals = refusePayments(failure.sentence) + refuseSplice(failure.sentence) + unanswered.giveUp()
    forgetConnection()
    self.failure = failure
    state = .failed
    return refusals + [.cutOff, .report(.trouble(failure.sentence))]
  }

  /// The answer to a request for a failed channel.
  var failedSentence: String? { stage == .failed ? failure?.sentence : nil }
}

// Dialling again: after a pause that grows with each failed attempt, and at once for a user.
extension NodeMachine {
  /// Disconnects, and dials again after a pause that grows with each failed attempt.
  mutating func redial(_ why: String, at now: Instant) -> [NodeDirective] {
    if case .draining = state {
      // The node stops with this connection.
      forgetConnection()
      state = .stopped
      return [.cutOff, .report(.stopped)]
    }
    if case .failed = state { return [.report(.trouble(why))] }
    guard isNetworkThere else {
      forgetConnection()
      state = .offline
      return refuseNegotiation(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
    }
    if connection.isProven(at: now) { pace.startAnew() }
    forgetConnection()
    state = .pausing(until: now + pace.pause(claim?.incarnation))
    return refuseNegotiation(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
  }

  /// Ends a long pause, as an HTLC may be pending at the peer. The count of attempts stays, so that a slow peer
  /// keeps its longer time limits.
  mutating func endLongPause(at now: Instant) -> [NodeDirective] {
    guard case .pausing(let end) = state, end - now > DialPace.longPause else { return [] }
    return dialOrWait()
  }

  /// Ends the pause and starts the count anew, as a user has come or requests something.
  mutating func endPause() -> [NodeDirective] {
    guard case .pausing = state else { return [] }
    pace.startAnew()
    return dialOrWait()
  }

  /// Replaces a connection without work by a new one, on which the peer says again what it has for the wallet, and ends
  /// a pause. A connection that is still being opened, or has work, is left alone; of one with work this is reported.
  mutating func connectAgain() -> [NodeDirective] {
    switch state {
    case .pausing: return endPause()
    case .mute: break
    case .established where activity == .nothing && step == nil: break
    case .established: return [.connectionKept]
    default: return []
    }
    pace.startAnew()
    forgetConnection()
    return refuseNegotiation(Self.spliceLost) + [.cutOff] + dialOrWait() + [.report(.connecting)]
  }
}
