import Crypto
import Ground
import Lightning

/// The LSP's durable state, as in its ledger.
public struct PeerState: Hashable, Codable, Sendable {
  /// The wallet's node: named, or the first that was accepted. Nil before that.
  public var wallet: PublicKey?
  /// The highest claim seen, and the container it belongs to.
  public var fence: Claim?
  public var channel: Channel
  /// The text of the error that failed the channel. BOLT 2: each connection repeats it, and sends nothing else of
  /// the channel.
  public var failure: String?
  /// Payments that are neither paid nor failed, the oldest first.
  public var payments: [PeerPayment]
  /// In ascending order: for a fast search, and so that equal sets are equal values.
  public private(set) var paidHashes: [Bytes32]
  /// The wallet's `peer_storage` that was stored last.
  public var backup: Blob?
  /// Other nodes' invoices, the oldest first; also paid ones, as a preimage may have to be sent again.
  public var externalInvoices: [ExternalInvoice]
  /// The key that the wallet's pushes are sealed to. Nil: the wallet has named none.
  public var pushKey: PublicKey?
  /// Ended holds that the wallet is told of; nil if it was never told of one.
  public var endedHolds: EndedHolds?
  /// How the next payments fail; nil without an order.
  public var orderedFailures: OrderedFailures?
  /// Nil until the wallet has registered one.
  public var webhooks: WebhookBook?

  public init(
    wallet: PublicKey? = nil, fence: Claim? = nil, channel: Channel, payments: [PeerPayment] = [],
    paidHashes: [Bytes32] = [],
    backup: Blob? = nil, externalInvoices: [ExternalInvoice] = [], failure: String? = nil,
    pushKey: PublicKey? = nil, endedHolds: EndedHolds? = nil, orderedFailures: OrderedFailures? = nil,
    webhooks: WebhookBook? = nil
  ) {
    self.wallet = wallet
    self.fence = fence
    self.channel = channel
    self.payments = payments
    self.paidHashes = []
    self.backup = backup
    self.externalInvoices = externalInvoices
    self.failure = failure
    self.pushKey = pushKey
    self.endedHolds = endedHolds
    self.orderedFailures = orderedFailures
    self.webhooks = webhooks
    for hash in paidHashes { markPaid(hash) }
  }

  public func isPaid(_ hash: Bytes32) -> Bool {
    let place = place(of: hash)
    return place < paidHashes.endIndex && paidHashes[place] == hash
  }

  mutating func markPaid(_ hash: Bytes32) {
    if !isPaid(hash) { paidHashes.insert(hash, at: place(of: hash)) }
  }

  /// The first position whose hash is not below this one.
  private func place(of hash: Bytes32) -> Int {
    var low = 0
    var high = paidHashes.count
    while low < high {
      let middle = (low + high) / 2
      if paidHashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The hashes of payments that failed without the wallet, so that it can tell its user. The newest ones: each
/// connection of the wallet gets them all, as there is no acknowledgement.
public struct EndedHolds: Hashable, Codable, Sendable {
  /// So that a connection begins with a bounded number of messages.
  public static let limit = 16

  /// Each once, the newest last.
  public private(set) var paymentHashes: [Bytes32]

  public init(_ paymentHashes: [Bytes32] = []) { self.paymentHashes = paymentHashes.suffix(Self.limit) }

  /// Returns the oldest hash if it had to make room.
  mutating func add(_ paymentHash: Bytes32) -> Bytes32? {
    remove(paymentHash)
    paymentHashes.append(paymentHash)
    return paymentHashes.count > Self.limit ? paymentHashes.removeFirst() : nil
  }

  /// False if it was not there.
  @discardableResult mutating func remove(_ paymentHash: Bytes32) -> Bool {
    guard let place = paymentHashes.firstIndex(of: paymentHash) else { return false }
    paymentHashes.remove(at: place)
    return true
  }
}

/// A pending payment.
public struct PeerPayment: Hashable, Codable, Sendable {
  public enum State: Hashable, Codable, Sendable {
    /// Waiting for the wallet. → offered, failed
    case held
    /// In the channel. → paid, failed
    case offered(htlc: UInt64)
  }

  public var request: PaymentRequest
  public var state: State
  /// When a push for it was requested.
  var calledAt: Instant?
  /// Of Bitkit's form: a push for it was requested since the wallet left, or since this run began; the same for all
  /// parts of one payment. Nil: none was.
  var isAnnounced: Bool?

  public init(request: PaymentRequest, state: State = .held) {
    self.request = request
    self.state = state
  }

  public var isHeld: Bool { state == .held }

  /// A push for it was requested since this run began.
  package var isCalled: Bool { calledAt != nil }
}

/// One connection of the LSP.
struct PeerLink: Hashable, Codable, Sendable {
  enum State: Hashable, Codable, Sendable {
    /// Only `init` is processed. → registered, visiting, refused
    case awaitingInit
    /// The wallet's one connection. → evicted, failed
    case registered
    /// An unknown node, without a channel: only its pings are answered. → failed
    case visiting
    /// Its fence was refused. Final.
    case refused
    /// Replaced by a newer connection, or closed to make room for one. Final.
    case evicted
    /// The node broke the protocol, or one end lost data. Final.
    case failed
  }

  var id: UInt64
  var node: PublicKey?
  /// The time limit for `init`: a silent connection takes a place that the wallet may need.
  var initBy: Instant
  var state = State.awaitingInit
  /// A backup was received.
  var hasBackedUp = false
  var chatter = RateLimit(per: Chatter.window)
  /// BOLT 7 messages, and ends of holds.
  var gossip = RateLimit(per: Chatter.window)
  /// Measured from the first message on.
  var silence: Silence?

  /// Whether its messages are still processed.
  var isOpen: Bool { state == .awaitingInit || state == .registered || state == .visiting }

  /// Before `init` every other message counts, and from an unknown node every message.
  func isChatter(_ message: Message) -> Bool {
    if message.isGossip { return message.isChatter }
    if state == .visiting { return true }
    guard state == .awaitingInit else { return message.isChatter }
    if case .initMessage = message { return false }
    return true
  }

  /// Why a message is not processed.
  var whyIgnored: String {
    switch state {
    case .awaitingInit: "it came before init"
    case .registered, .visiting: "it needs no answer"
    case .refused: "its connection is refused"
    case .evicted: "its connection is evicted"
    case .failed: "its connection has failed"
    }
  }
}

/// The number of a wallet in the LSP's ledger, in the order in which the wallets came.
public struct WalletNumber: Hashable, Comparable, Sendable {
  /// The wallet of the phone that the LSP was started with; without a phone, the first that came.
  public static let own = WalletNumber(1)

  public var value: Int64

  public init(_ value: Int64) { self.value = value }

  public static func < (left: WalletNumber, right: WalletNumber) -> Bool { left.value < right.value }
}

// The LSP with all instants shifted, and without those that are too old to matter.
extension PeerMachine: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    for index in state.payments.indices { state.payments[index].shift(by: span) }
    for index in links.indices { links[index].shift(by: span) }
    calls.shift(by: span)
    for index in routed.indices { routed[index].shift(by: span) }
    splicePace.shift(by: span)
    storage.shift(by: span)
    otherNodes.shift(by: span)
    backups.shift(by: span)
    state.webhooks?.shift(by: span)
  }

  /// Moves instants that are too old to matter forward, so that equivalent states are equal.
  public mutating func forgetLongAgo(at now: Instant) {
    for index in links.indices { links[index].forgetLongAgo(at: now) }
    for index in state.payments.indices { state.payments[index].forgetLongAgo(at: now) }
    calls.forgetLongAgo(at: now, unannounced: unannouncedCount)
    storage.forgetLongAgo(at: now)
    otherNodes.forgetLongAgo(at: now)
    backups.forgetLongAgo(at: now)
  }
}

extension PeerLink: Shiftable {
  mutating func shift(by span: TimeSpan) {
    initBy.shift(by: span)
    chatter.shift(by: span)
    gossip.shift(by: span)
    silence?.shift(by: span)
  }

  mutating func forgetLongAgo(at now: Instant) {
    chatter.forgetLongAgo(at: now)
    gossip.forgetLongAgo(at: now)
    // The time limit ends with `init`.
    if state != .awaitingInit { initBy = now }
    if state != .registered, state != .visiting { silence = nil }
  }
}

extension PeerPayment {
  mutating func shift(by span: TimeSpan) {
    request.holdUntil.shift(by: span)
    calledAt?.shift(by: span)
  }

  mutating func forgetLongAgo(at now: Instant) {
    // For offered payments `WalletCalls` has the pushes.
    let isOver = calledAt.map { now >= $0 + WalletCalls.callBound } ?? true
    if !isHeld || isOver { calledAt = nil }
  }
}
