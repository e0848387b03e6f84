import CoreShape
import Crypto

/// What the provider knows for good, as its ledger has it.
public struct PeerState: Hashable, Codable, Sendable {
  /// The node that the channel is with: the first that was let in. Nil before that.
  public var wallet: PublicKey?
  /// The highest claim seen, and the container it belongs to.
  public var fence: Fence?
  public var channel: Channel
  /// Payments that are neither paid nor failed, the oldest first.
  public var payments: [PeerPayment]
  /// Ascending by their bytes, so that many are searched quickly and the value is one whatever their history.
  public private(set) var paidHashes: [Bytes32]
  /// What the wallet stored last.
  public var backup: Bytes?

  public init(
    wallet: PublicKey? = nil, fence: Fence? = nil, channel: Channel, payments: [PeerPayment] = [],
    paidHashes: [Bytes32] = [],
    backup: Bytes? = nil
  ) {
    self.wallet = wallet
    self.fence = fence
    self.channel = channel
    self.payments = payments
    self.paidHashes = []
    self.backup = backup
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
