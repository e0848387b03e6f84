import Ground

/// The durable part of a channel, as plain columns. A `Channel` is made of a valid one.
public struct ChannelRecord: Hashable, Codable, Sendable {
  public var id: Bytes32
  /// Whether this side opened the channel.
  public var isOpener: Bool
  public var localMsat: UInt64
  public var remoteMsat: UInt64
  /// The number of commitments that the other side has signed for this one.
  public var localCommitmentNumber: UInt64 = 0
  /// The number of commitments that this side has signed for the other.
  public var remoteCommitmentNumber: UInt64 = 0
  public var revocationsSent: UInt64 = 0
  public var revocationsReceived: UInt64 = 0
  /// The secret of the newest revocation received, or zero.
  public var lastReceivedSecret: Bytes32 = .zero
  public var nextOfferedID: UInt64 = 0
  public var nextReceivedID: UInt64 = 0
  /// Whether the last revocation was sent after the last commitment: lost messages are sent again in their old
  /// order.
  public var sentRevocationLast: Bool = false
  /// Grows by one with every call that changes the record, and to the next million or further with `beginHistory`: of
  /// two copies of one channel, the higher is newer.
  public var revision: UInt64 = 0
  /// The funding of the last splice; nil before the first.
  public var splicedTo: OutPoint?
  /// The pending splice that this side is bound to.
  public var splice: PendingSplice?
  /// By direction, then id.
  public var htlcs: [HTLC] = []

  public init(id: Bytes32, isOpener: Bool, localMsat: UInt64, remoteMsat: UInt64) {
    self.id = id
    self.isOpener = isOpener
    self.localMsat = localMsat
    self.remoteMsat = remoteMsat
  }

  public static let maximumHTLCs = 30
  /// 21 million bitcoin.
  public static let maximumCapacityMsat: UInt64 = 21_000_000 * 100_000_000 * 1000
  /// Far below the point where a counter could overflow.
  static let counterLimit: UInt64 = 1 << 48

  /// By BOLT 2 the channel's id names its first funding: here output 0 of the transaction.
  public var funding: OutPoint { splicedTo ?? OutPoint(transaction: TransactionID(hash: id), index: 0) }

  public var isCommitmentInFlight: Bool { remoteCommitmentNumber != revocationsReceived }
  public var isRevocationDue: Bool { localCommitmentNumber != revocationsSent }

  func count(_ direction: HTLCDirection) -> Int {
    htlcs.reduce(0) { $0 + ($1.direction == direction ? 1 : 0) }
  }

  func index(_ direction: HTLCDirection, _ id: UInt64) -> Int? {
    htlcs.firstIndex { $0.direction == direction && $0.id == id }
  }

  mutating func insert(_ htlc: HTLC) {
    let position = htlcs.firstIndex { htlc.comes(before: $0) } ?? htlcs.endIndex
    htlcs.insert(htlc, at: position)
  }
}

/// The direction of an HTLC, seen from this side.
public enum HTLCDirection: UInt8, Hashable, Codable, Sendable, CaseIterable {
  case offered = 0
  case received = 1
}
