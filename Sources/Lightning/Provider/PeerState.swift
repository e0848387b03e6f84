import Ground
import Crypto
import Bitcoin
import LightningChannel
import Webhooks

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
  public var backup: Bytes?
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
    backup: Bytes? = nil, externalInvoices: [ExternalInvoice] = [], failure: String? = nil,
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

  /// Journals from before outgoing payments lack external invoices; those from before push keys, orders and webhooks
  /// lack these.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      wallet: try container.decodeIfPresent(PublicKey.self, forKey: .wallet),
      fence: try container.decodeIfPresent(Claim.self, forKey: .fence),
      channel: try container.decode(Channel.self, forKey: .channel),
      payments: try container.decode([PeerPayment].self, forKey: .payments),
      paidHashes: try container.decode([Bytes32].self, forKey: .paidHashes),
      backup: try container.decodeIfPresent(Bytes.self, forKey: .backup),
      externalInvoices: try container.decodeIfPresent([ExternalInvoice].self, forKey: .externalInvoices)
        ?? [],
      failure: try container.decodeIfPresent(String.self, forKey: .failure),
      pushKey: try container.decodeIfPresent(PublicKey.self, forKey: .pushKey),
      endedHolds: try container.decodeIfPresent(EndedHolds.self, forKey: .endedHolds),
      orderedFailures: try container.decodeIfPresent(OrderedFailures.self, forKey: .orderedFailures),
      webhooks: try container.decodeIfPresent(WebhookBook.self, forKey: .webhooks))
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
