// LightningProvider: the Lightning service provider (LSP), the wallet's only peer. Pure: no clock, no randomness, no
// I/O. It imports nothing of the wallet's code.

import Crypto
import Ground
import Lightning

/// The LSP: fencing, the channel, payments held for a disconnected wallet, and the stored backup.
///
/// Every change is stored before a message of it is sent. A newer connection replaces an older one in this order:
/// the new highest epoch is durable; the older connection is cut off with its unread bytes; the fence is answered.
public struct PeerMachine: Core {
  public static let name = "peer"
  public static var deadlineReached: PeerEvent { .deadlineReached }

  public struct Configuration: Hashable, Codable, Sendable {
    /// Behaves like an LSP that does not know fences: the newest connection wins.
    public var isLegacy: Bool
    /// How long after a disconnect with a pending payment the LSP requests a push.
    public var callsBackAfter: TimeSpan
    /// How long an outgoing payment takes to its recipient.
    public var externalDelay: TimeSpan
    public var rules: ConnectionRules
    /// The LSP's funding key for splices. Nil: it does not splice.
    public var fundingKey: CurvePoint?
    /// How long the LSP takes to sign for a new funding.
    public var spliceDelay: TimeSpan
    /// The LSP stores the wallet's backup at most once in this time; with zero each backup at once.
    public var storageDelay: TimeSpan
    /// When this run began: the wallet counts as disconnected since then.
    public var startedAt: Instant
    /// The state in the ledger.
    public var state: PeerState
    /// Only `walletNamed` sets the wallet's node; else it is the first accepted node.
    public var awaitsWallet: Bool
    public var pushStrategy: PushForm
    public var webhookRules: WebhookRules

    public init(
      isLegacy: Bool = false, callsBackAfter: TimeSpan = AnnouncementPace.first,
      externalDelay: TimeSpan = .zero, rules: ConnectionRules = .standard, fundingKey: CurvePoint? = nil,
      spliceDelay: TimeSpan = .zero, storageDelay: TimeSpan = .zero, startedAt: Instant, state: PeerState,
      awaitsWallet: Bool = false, pushStrategy: PushForm = .phoenix, webhookRules: WebhookRules = .standard
    ) {
      self.isLegacy = isLegacy
      self.callsBackAfter = callsBackAfter
      self.externalDelay = externalDelay
      self.rules = rules
      self.fundingKey = fundingKey
      self.spliceDelay = spliceDelay
      self.storageDelay = storageDelay
      self.startedAt = startedAt
      self.state = state
      self.awaitsWallet = awaitsWallet
      self.pushStrategy = pushStrategy
      self.webhookRules = webhookRules
    }
  }

  /// More than any phone opens. The wallet can always connect: the oldest unregistered connection makes room.
  static let linkLimit = 64
  /// Each payment costs memory, and a push, for as long as its sender wants; a wallet takes 30 at a time.
  static let paymentLimit = 1000
  /// The time limit for `init` on a new connection.
  static let initBound = TimeSpan.seconds(10)

  let isLegacy: Bool
  let awaitsWallet: Bool
  let externalDelay: TimeSpan
  let pushStrategy: PushForm
  let webhookRules: WebhookRules
  let rules: ConnectionRules
  let fundingKey: CurvePoint?
  public internal(set) var state: PeerState
  /// The oldest first.
  var links: [PeerLink] = []
  var calls: WalletCalls
  /// Outgoing payments that have not arrived. A restarted LSP takes them from the channel again.
  var routed: [RoutedPayment] = []
  var splicePace: SplicePace
  var otherNodes = OtherNodesLoad()
  var backups = BackupLoad()
  var storage: StoragePace

  public init(configuration: Configuration) {
    isLegacy = configuration.isLegacy
    externalDelay = configuration.externalDelay
    pushStrategy = configuration.pushStrategy
    webhookRules = configuration.webhookRules
    rules = configuration.rules
    fundingKey = configuration.fundingKey
    splicePace = SplicePace(delay: configuration.spliceDelay)
    storage = StoragePace(window: configuration.storageDelay)
    calls = WalletCalls(after: configuration.callsBackAfter, awaySince: configuration.startedAt)
    state = configuration.state
    awaitsWallet = configuration.awaitsWallet
    state.channel.disconnected()
    for index in state.payments.indices {
      state.payments[index].calledAt = nil
      state.payments[index].isAnnounced = nil
    }
    routed = state.channel.committedHTLCs.map {
      RoutedPayment(htlc: $0.id, arrivesAt: configuration.startedAt + externalDelay)
    }
  }

  /// Whether a payment of this hash is held for the wallet.
  public func isHolding(_ paymentHash: Bytes32) -> Bool {
    state.payments.contains { $0.isHeld && $0.request.paymentHash == paymentHash }
  }

  /// The wallet's node must be named, and is not yet.
  public var lacksWallet: Bool { awaitsWallet && state.wallet == nil }

  /// Before the first fence, another node may be named: the stored one may belong to an earlier seed.
  public var mayBeNamedAnew: Bool { awaitsWallet && !isLegacy && state.fence == nil }

  /// A backup that is not stored yet: it is lost if the LSP ends before.
  public var waitingBackup: Blob? { storage.waiting?.blob }

  public var isWalletConnected: Bool { registered != nil }

  public var deadline: Instant? {
    let holds = state.payments.filter(\.isHeld).map(\.request.holdUntil)
    let silences = links.compactMap { silenceEndsAt($0) }
    // No payment arrives while the channel takes no updates.
    let arrivals = state.channel.mayUpdate ? routed.map(\.arrivesAt) : []
    let times = holds + linksBeforeInit.map(\.initBy) + silences + arrivals
    let others = [
      callBackAt, splicePace.sendsAt, splicePace.quiescenceEndsAt, storage.storesAt, webhooksDeadline,
    ]
    return (times + others.compactMap { $0 }).min()
  }

  private var linksBeforeInit: [PeerLink] { links.filter { $0.state == .awaitingInit } }

  /// No pushes for a failed channel, in which the wallet cannot settle an HTLC.
  private var callBackAt: Instant? {
    guard state.failure == nil, !state.payments.isEmpty else { return nil }
    return calls.nextAt(hasUnannounced: hasUnannounced)
  }

  public mutating func handle(_ event: PeerEvent, at now: Instant) -> [PeerDirective] {
    var (backup, holds, step, end) = (PeerStep(), PeerStep(), PeerStep(), PeerStep())
    // First, so that no message of the wallet overtakes the end of the delay.
    if let due = storage.takeDue(at: now) { store(due.blob, of: due.connection, &backup) }
    endDueHolds(&holds, at: now)
    react(to: event, at: now, &step)
    endPaymentCalls(&end)
    return [backup, holds, step, end].flatMap(\.directives)
  }

  private mutating func react(to event: PeerEvent, at now: Instant, _ step: inout PeerStep) {
    switch event {
    case .deadlineReached: deadlineReached(at: now, &step)
    case .walletNamed(let node): if state.wallet == nil || mayBeNamedAnew { state.wallet = node }
    case .connected(let connection, let node): connected(connection, of: node, at: now, &step)
    case .received(let connection, let message): received(message, from: connection, at: now, &step)
    case .undecodable(let connection, let why): undecodable(why, from: connection, at: now, &step)
    case .closed(let connection, let why): closed(connection, why, at: now, &step)
    case .payRequested(let request): payRequested(request, at: now, &step)
    case .externalInvoiceMade(let invoice): externalInvoiceMade(invoice, &step)
    case .failuresOrdered(let order): failuresOrdered(order, &step)
    case .channelFailureOrdered: channelFailureOrdered(at: now, &step)
    case .announcementOrdered(let reason): announcementOrdered(reason, at: now, &step)
    case .notificationOrdered(let notification): notify(notification, &step, at: now)
    case .webhookCalled(let call, let outcome): webhooks(&step) { $0.ended(call, outcome, at: now, &$1) }
    }
  }

  private mutating func deadlineReached(at now: Instant, _ step: inout PeerStep) {
    for link in linksBeforeInit where link.initBy <= now {
      giveUp(link.id, "no init came within 10 s: send it first", at: now, &step)
    }
    silencesEnded(at: now, &step)
    sendHeld(&step, at: now)
    quiescenceEnded(&step, at: now)
    arrivals(&step, at: now)
    if let callBackAt, callBackAt <= now { callBack(dueAt: callBackAt, at: now, &step) }
    webhooksDue(&step, at: now)
  }
}

// What the wallet is told of payments that it is to complete: pushes while it is away, and which holds have ended.
extension PeerMachine {
  // MARK: Pushes

  /// In Bitkit's order: the silent one may spare the user the alert's tap.
  func pushes(for request: PaymentRequest, _ reason: PushReason, holdUntil: Instant?) -> [PeerDirective] {
    // Of a part the user is told the whole amount: that is what the sender pays.
    let wholeMsat = request.paymentData?.totalMsat ?? request.amountMsat
    switch pushStrategy {
    case .phoenix:
      let push = PushRequest(reason: reason, paymentHash: request.paymentHash, amountMsat: request.amountMsat)
      return [.requestPush(push)]
    case .bitkit:
      return [PushKind.silent, .alert].map { kind in
        .requestPush(
          PushRequest(
            reason: reason, paymentHash: request.paymentHash, amountMsat: wholeMsat, kind: kind,
            payment: request.id, holdUntil: holdUntil))
      }
    }
  }

  /// Bitkit's user is told of a payment that was not held, so that its sender can be asked to pay again.
  mutating func announceUnheld(_ request: PaymentRequest, _ step: inout PeerStep) {
    guard pushStrategy.announces, !hasWebhooks else { return }
    step.afterwards += pushes(for: request, .incomingPayment, holdUntil: nil)
  }

  // MARK: Which payments are announced

  /// Phoenix's push wakes a node, which receives all that waits, and so does a call of a webhook; Bitkit's push tells the
  /// user of one payment.
  var announcesEach: Bool { pushStrategy.announces && !hasWebhooks }

  /// A payment waits for its first push since the wallet left, or since this run began.
  var hasUnannounced: Bool { announcesEach && state.payments.contains { $0.isAnnounced != true } }

  /// With each part of a payment.
  var unannouncedCount: Int { announcesEach ? state.payments.count { $0.isAnnounced != true } : 0 }

  /// The pushes to a wallet that is away with pending payments: the first one for each of them, as many at once as a
  /// phone can serve, then for one.
  mutating func callBack(dueAt: Instant, at now: Instant, _ step: inout PeerStep) {
    calls.noteUnansweredCall(hasUnannounced: hasUnannounced)
    guard hasUnannounced else {
      return call(for: state.payments.firstIndex { !$0.isHeld } ?? 0, at: now, &step)
    }
    // The call for one part is for all parts of its payment.
    for _ in 0..<AnnouncementPace.batch {
      guard let index = state.payments.firstIndex(where: { $0.isAnnounced != true }) else { break }
      call(for: index, at: now, &step)
    }
    calls.noteBatch(dueAt: dueAt, at: now, hasUnannounced: hasUnannounced)
  }

  mutating func noteAnnounced(_ paymentHash: Bytes32) {
    guard announcesEach else { return }
    for index in state.payments.indices where state.payments[index].request.paymentHash == paymentHash {
      state.payments[index].isAnnounced = true
    }
  }

  mutating func append(_ request: PaymentRequest) {
    var payment = PeerPayment(request: request)
    payment.isAnnounced = state.payments.first { $0.request.paymentHash == request.paymentHash }?.isAnnounced
    state.payments.append(payment)
  }

  // MARK: Which pushes are still wanted

  /// Whether there is still a reason for this push.
  public func wants(_ push: PushRequest, at now: Instant) -> Bool {
    switch push.reason {
    case .paidOrder, .mutualClose: true
    // Of a payment that was not held the user learns as long as nobody has paid it, and the app has not come to hear
    // of it.
    case .incomingPayment where push.kind != nil && !push.isHeld:
      registered == nil && push.paymentHash.map { !state.isPaid($0) } == true
    // The sender may have given up and paid again: that payment has pushes of its own, with another end.
    case .incomingPayment where push.kind != nil:
      state.payments.contains { $0.isHeld && $0.request.id == push.payment && $0.request.holdUntil > now }
    case .incomingPayment: push.paymentHash.map(isHolding) ?? false
    // Another payment in the channel has pushes of its own.
    case .pendingSettlement where push.payment != nil:
      registered == nil && state.payments.contains { !$0.isHeld && $0.request.id == push.payment }
    case .pendingSettlement: registered == nil && state.payments.contains { !$0.isHeld }
    }
  }

  // MARK: The push key

  /// Each connection repeats the key: only another one is stored.
  mutating func received(_ key: CurvePoint, on connection: UInt64, _ step: inout PeerStep) {
    guard let key = PublicKey(key.bytes.array) else {
      return step.ignore(connection, "the push key is no point of the curve")
    }
    guard key != state.pushKey else { return step.ignore(connection, "the push key is known") }
    state.pushKey = key
    step.changes += [.frameActedOn(connection: connection), .pushKey(key)]
  }

  // MARK: Ended holds

  /// Notes the end for a wallet with a push key: it has shown its user that the payment is held. A payment that failed
  /// in the step of its request while the wallet was connected was never announced.
  mutating func holdEnded(_ request: PaymentRequest, _ failure: PaymentFailure, _ step: inout PeerStep) {
    let wasAnnounced = failure == .recipientAway || !step.changes.contains(.paymentHeld(request))
    let hash = request.paymentHash
    guard state.pushKey != nil, wasAnnounced,
      !state.payments.contains(where: { $0.request.paymentHash == hash })
    else { return }
    var ended = state.endedHolds ?? EndedHolds()
    if let oldest = ended.add(hash) { step.changes.append(.endedHoldForgotten(paymentHash: oldest)) }
    state.endedHolds = ended
    step.changes.append(.holdEnded(paymentHash: hash))
    if let connection = registered { step.messages.append(.send(connection: connection, .holdEnded(hash))) }
  }

  /// The hash is held, offered or paid again.
  mutating func forgetEndedHold(of paymentHash: Bytes32, _ step: inout PeerStep) {
    guard state.endedHolds?.remove(paymentHash) == true else { return }
    step.changes.append(.endedHoldForgotten(paymentHash: paymentHash))
  }

  /// For each new connection, after `channel_reestablish`.
  func endedHolds(for connection: UInt64) -> [PeerDirective] {
    guard state.pushKey != nil, let ended = state.endedHolds else { return [] }
    return ended.paymentHashes.map { .send(connection: connection, .holdEnded($0)) }
  }
}

// Connections: opened, accepted or refused by their `init`, closed.
extension PeerMachine {
  var registered: UInt64? { links.first { $0.state == .registered }?.id }

  func link(_ connection: UInt64) -> PeerLink? { links.first { $0.id == connection } }

  mutating func set(_ connection: UInt64, _ newState: PeerLink.State) {
    for index in links.indices where links[index].id == connection { links[index].state = newState }
  }

  mutating func connected(
    _ connection: UInt64, of node: PublicKey?, at now: Instant, _ step: inout PeerStep
  ) {
    guard link(connection) == nil else { return }
    guard !isOtherNode(node) || otherNodes.takesConnection(at: now) else {
      // Without a row: rows are the cost that this limit bounds.
      return step.evictions.append(.evict(connection: connection, "too many connections of other nodes"))
    }
    step.changes.append(.connectionOpened(connection: connection, node: node))
    if links.count >= Self.linkLimit, let oldest = evictable {
      set(oldest.id, .evicted)
      step.evictions.append(.evict(connection: oldest.id, "closed to make room for connection \(connection)"))
    }
    links.append(PeerLink(id: connection, node: node, initBy: now + Self.initBound))
    // The same for every node, and at once: the answer to the fence comes after the wallet's init.
    step.messages.append(.send(connection: connection, .initMessage(InitMessage(features: features))))
  }

  /// Whether a connection of this node would be evicted. A caller that asks first writes no journal line for it.
  public func rejects(_ node: PublicKey?, at now: Instant) -> Bool {
    isOtherNode(node) && otherNodes.isFull(at: now)
  }

  /// The oldest unregistered connection, of an unknown node if possible: the wallet's node may be about to send
  /// `init`.
  private var evictable: PeerLink? {
    let others = links.filter { $0.state != .registered && $0.state != .evicted }
    return others.first { isOtherNode($0.node) } ?? others.first
  }

  /// Whether the node is not the wallet's, or the wallet's is not known yet. False without a proven node id.
  func isOtherNode(_ node: PublicKey?) -> Bool { node != nil && node != state.wallet }

  mutating func closed(_ connection: UInt64, _ why: String, at now: Instant, _ step: inout PeerStep) {
    guard let link = link(connection) else { return }
    step.changes.append(.connectionClosed(connection: connection, why))
    links.removeAll { $0.id == connection }
    if link.state == .registered { walletLeft(at: now, &step) }
  }

  private mutating func walletLeft(at now: Instant, _ step: inout PeerStep) {
    loseChannel(&step)
    calls.walletLeft(at: now)
    for index in state.payments.indices { state.payments[index].isAnnounced = nil }
  }

  /// Without its connection the channel forgets uncommitted updates.
  private mutating func loseChannel(_ step: inout PeerStep) {
    let before = state.channel.record
    splicePace.forgetConnection()
    state.channel.disconnected()
    if state.channel.record != before { step.changes.append(.channel(StoredChannel(state.channel))) }
  }

  /// Processes no further message of the connection; the caller adds the directive that ends it.
  mutating func lose(_ connection: UInt64, at now: Instant, _ step: inout PeerStep) {
    if registered == connection { walletLeft(at: now, &step) }
    set(connection, .failed)
  }

  /// Sends the reason and closes; all state stays. A warning for no channel: an error would fail the wallet's
  /// channel, and an unknown node must not learn its id.
  mutating func giveUp(_ connection: UInt64, _ why: String, at now: Instant, _ step: inout PeerStep) {
    giveUp(connection, why, sending: .warning(ErrorOrWarning(text: why)), at: now, &step)
  }

  mutating func giveUp(
    _ connection: UInt64, _ why: String, sending message: Message, at now: Instant, _ step: inout PeerStep
  ) {
    lose(connection, at: now, &step)
    step.messages += [
      .send(connection: connection, message), .close(connection: connection, why),
    ]
  }

  mutating func received(
    _ initMessage: InitMessage, by connection: UInt64, at now: Instant, _ step: inout PeerStep
  ) {
    step.changes.append(.frameActedOn(connection: connection))
    if isOtherNode(connection, initMessage) {
      return acceptOtherNode(connection, initMessage.mismatch, at: now, &step)
    }
    if let mismatch = initMessage.mismatch {
      return giveUp(connection, Self.sentence(mismatch), at: now, &step)
    }
    let splices = initMessage.offersSplices
    guard !isLegacy else {
      return accept(connection, .unfenced, initMessage.fence, raising: nil, splices: splices, at: now, &step)
    }
    guard let fence = initMessage.fence else {
      // A wallet that has once sent a fence always sends one: without this check any connection could replace the
      // wallet's.
      guard let known = state.fence else {
        return accept(connection, .unfenced, nil, raising: nil, splices: splices, at: now, &step)
      }
      return refuse(connection, .refusedWithoutFence, nil, known, &step)
    }
    guard fence.epoch <= UInt64(Int64.max) else {
      return giveUp(
        connection, "the epoch is above \(Int64.max), which no container can store", at: now, &step)
    }
    guard let known = state.fence else {
      return accept(connection, .accepted, fence, raising: fence, splices: splices, at: now, &step)
    }
    if !(fence.container == known.container) {
      // Only a user requests this, for exactly the claim that the LSP has reported; the other device is then fenced
      // off.
      guard initMessage.replaces?.isExactly(known) == true, fence.epoch > known.epoch else {
        return refuse(connection, .refusedOtherContainer, fence, known, &step)
      }
    }
    if fence.epoch < known.epoch { return refuse(connection, .refusedLowerEpoch, fence, known, &step) }
    if fence.epoch == known.epoch, fence.incarnation != known.incarnation {
      return refuse(connection, .refusedOtherIncarnation, fence, known, &step)
    }
    accept(
      connection, .accepted, fence, raising: fence == known ? nil : fence, splices: splices, at: now, &step)
  }

  /// The wallet is the named node; else the first that sent a fence, as no other software does; at an LSP without
  /// fences the first node.
  private func isOtherNode(_ connection: UInt64, _ initMessage: InitMessage) -> Bool {
    guard let node = link(connection)?.node else { return false }
    if lacksWallet { return true }
    guard let wallet = state.wallet else {
      return !isLegacy && initMessage.fence == nil && state.fence == nil
    }
    return node != wallet
  }

  /// An unknown node's fence is ignored: only the wallet's node can raise the stored one.
  private mutating func acceptOtherNode(
    _ connection: UInt64, _ mismatch: String?, at now: Instant, _ step: inout PeerStep
  ) {
    set(connection, .visiting)
    step.changes.append(.connectionJudged(connection: connection, .visitor, nil))
    if let mismatch { giveUp(connection, Self.sentence(mismatch), at: now, &step) }
  }

  private static func sentence(_ mismatch: String) -> String { "your init is incompatible: \(mismatch)" }

  private mutating func refuse(
    _ connection: UInt64, _ verdict: ConnectionVerdict, _ fence: Claim?, _ known: Claim,
    _ step: inout PeerStep
  ) {
    set(connection, .refused)
    let answer = FenceAnswer(accepted: false, highest: known.epoch, container: known.container)
    step.changes.append(.connectionJudged(connection: connection, verdict, fence))
    step.messages += [
      .send(connection: connection, .fenceAnswer(answer)),
      .close(connection: connection, verdict.rawValue),
    ]
  }

  private mutating func accept(
    _ connection: UInt64, _ verdict: ConnectionVerdict, _ fence: Claim?, raising: Claim?, splices: Bool,
    at now: Instant, _ step: inout PeerStep
  ) {
    if let raising {
      state.fence = raising
      step.changes.append(.fence(raising))
    }
    step.changes.append(.connectionJudged(connection: connection, verdict, fence))
    if state.wallet == nil { state.wallet = link(connection)?.node }
    if let older = registered {
      loseChannel(&step)
      set(older, .evicted)
      step.evictions.append(.evict(connection: older, "replaced by connection \(connection)"))
    }
    set(connection, .registered)
    calls.walletCame()
    webhooks(&step) { $0.walletCame(&$1) }
    if verdict == .accepted, let fence {
      let answer = FenceAnswer(accepted: true, highest: fence.epoch, container: fence.container)
      step.messages.append(.send(connection: connection, .fenceAnswer(answer)))
    }
    if let backup = state.backup {
      step.messages.append(.send(connection: connection, .peerStorageRetrieval(backup)))
    }
    if let failure = state.failure {
      let error = Message.error(ErrorOrWarning(channel: state.channel.id, text: failure))
      return giveUp(connection, "the channel has failed", sending: error, at: now, &step)
    }
    step.messages.append(
      .send(connection: connection, state.channel.reestablish(splicing: splices ? splicingSide : nil)))
    step.messages += endedHolds(for: connection)
  }
}

// The LSP fails the channel, as an operator orders: to senders the recipient's channel is disabled from then on.
extension PeerMachine {
  /// The text of the error that the order sends.
  public static let failedOnOrder = "closed by the provider"

  /// What is under way in the channel would end on the chain, which this LSP does not have.
  public var refusalToFailChannel: ChannelFailureRefusal? {
    if state.failure != nil { return .failedBefore }
    return state.channel.htlcs.isEmpty && state.channel.pendingSplice == nil ? nil : .inUse
  }

  public func refusalToAnnounce(_ reason: PushReason) -> ChannelFailureRefusal? {
    guard announcesEach else { return .pushesOnlyPayments }
    if reason == .mutualClose { return refusalToFailChannel }
    return state.failure == nil ? nil : .failedBefore
  }

  /// There is no cooperative close (`shutdown`): a closed channel is one that the LSP has failed.
  mutating func announcementOrdered(_ reason: PushReason, at now: Instant, _ step: inout PeerStep) {
    guard refusalToAnnounce(reason) == nil else { return }
    if reason == .mutualClose { channelFailureOrdered(at: now, &step) }
    step.afterwards.append(.requestPush(PushRequest(reason: reason, kind: .alert)))
  }

  /// BOLT 1: the error fails the channel for good. A held payment waits for its end, and is not offered any more.
  mutating func channelFailureOrdered(at now: Instant, _ step: inout PeerStep) {
    guard refusalToFailChannel == nil else { return }
    state.failure = Self.failedOnOrder
    let connection = registered
    step.changes.append(.channelFailed(connection: connection ?? 0, Self.failedOnOrder))
    if let connection {
      let error = Message.error(ErrorOrWarning(channel: state.channel.id, text: Self.failedOnOrder))
      giveUp(connection, "the channel has failed", sending: error, at: now, &step)
    }
  }
}
