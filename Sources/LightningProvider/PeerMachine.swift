// LightningProvider: the Lightning service provider (LSP), the wallet's only peer. Pure: no clock, no randomness, no
// I/O. It imports nothing of the wallet's code.

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
      externalDelay: TimeSpan = .zero,
      rules: ConnectionRules = .standard, fundingKey: CurvePoint? = nil, spliceDelay: TimeSpan = .zero,
      storageDelay: TimeSpan = .zero, startedAt: Instant, state: PeerState, awaitsWallet: Bool = false,
      pushStrategy: PushForm = .phoenix, webhookRules: WebhookRules = .standard
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
    storeDueBackup(at: now) + endDueHolds(at: now) + react(to: event, at: now) + endPaymentCalls()
  }

  /// First, so that no message of the wallet overtakes the end of the delay.
  private mutating func storeDueBackup(at now: Instant) -> [PeerDirective] {
    guard let due = storage.takeDue(at: now) else { return [] }
    var step = PeerStep()
    store(due.blob, of: due.connection, &step)
    return step.directives
  }

  private mutating func endDueHolds(at now: Instant) -> [PeerDirective] {
    var step = PeerStep()
    endDueHolds(&step, at: now)
    return step.directives
  }

  private mutating func react(to event: PeerEvent, at now: Instant) -> [PeerDirective] {
    switch event {
    case .deadlineReached: return deadlineReached(at: now)
    case .walletNamed(let node):
      if state.wallet == nil || mayBeNamedAnew { state.wallet = node }
      return []
    case .connected(let connection, let node): return connected(connection, of: node, at: now)
    case .received(let connection, let message): return received(message, from: connection, at: now)
    case .undecodable(let connection, let why): return undecodable(why, from: connection, at: now)
    case .closed(let connection, let why): return closed(connection, why, at: now)
    case .payRequested(let request): return payRequested(request, at: now)
    case .externalInvoiceMade(let invoice): return externalInvoiceMade(invoice)
    case .failuresOrdered(let order): return failuresOrdered(order)
    case .channelFailureOrdered: return channelFailureOrdered(at: now)
    case .announcementOrdered(let reason): return announcementOrdered(reason, at: now)
    case .notificationOrdered(let notification): return notify(notification, at: now)
    case .webhookCalled(let call, let outcome): return webhookCalled(call, outcome, at: now)
    }
  }

  private mutating func deadlineReached(at now: Instant) -> [PeerDirective] {
    var step = PeerStep()
    for link in linksBeforeInit where link.initBy <= now {
      giveUp(link.id, "no init came within 10 s: send it first", at: now, &step)
    }
    silencesEnded(at: now, &step)
    sendHeld(&step, at: now)
    quiescenceEnded(&step, at: now)
    arrivals(&step, at: now)
    if let callBackAt, callBackAt <= now { callBack(dueAt: callBackAt, at: now, &step) }
    webhooksDue(&step, at: now)
    return step.directives
  }
}
