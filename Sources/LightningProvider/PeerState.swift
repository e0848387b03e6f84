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
