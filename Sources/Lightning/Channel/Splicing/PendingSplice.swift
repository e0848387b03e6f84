import Crypto
import Bitcoin

/// A transaction that takes money out of the channel, from the moment in which this side binds itself to it until both
/// ends have moved to the funding that it makes. All that either needs to bring it to its end is here.
public struct PendingSplice: Hashable, Codable, Sendable {
  /// Both ends go through the same three. What an end sends when it enters one is durable before it is sent, and can be
  /// sent again.
  public enum Stage: UInt8, Hashable, Codable, Sendable, CaseIterable {
    /// This side has signed for the new funding (`commitment_signed`). → committed, forgotten
    case signing = 1
    /// The other side has, too. Who did not ask for the splice has signed the transaction (`tx_signatures`), and cannot
    /// go back. → signed; forgotten only where nothing is signed
    case committed = 2
    /// The transaction is out, and `splice_locked` is said. → the new funding
    case signed = 3
  }

  /// Whether the money is this side's.
  public var isOurs: Bool
  public var stage: Stage
  /// The transaction without its witnesses, as its id is made.
  public var transaction: Bytes
  /// Which of its outputs is the channel's.
  public var fundingIndex: UInt32
  public var amountSat: UInt64
  public var feeSat: UInt64

  public init(
    isOurs: Bool, stage: Stage, transaction: Bytes, fundingIndex: UInt32, amountSat: UInt64, feeSat: UInt64
  ) {
    self.isOurs = isOurs
    self.stage = stage
    self.transaction = transaction
    self.fundingIndex = fundingIndex
    self.amountSat = amountSat
    self.feeSat = feeSat
  }

  public var id: TransactionID {
    TransactionID(hash: SHA256.hash(SHA256.hash(transaction.array).bytes))
  }

  /// The funding that comes of it.
  public var funding: OutPoint { OutPoint(transaction: id, index: fundingIndex) }

  /// What the balance falls by. No sum of what was checked overflows.
  var totalMsat: UInt64 { (amountSat &+ feeSat) &* 1000 }

  /// Who did not ask for the splice signs first.
  var hasSigned: Bool { isOurs ? stage == .signed : stage != .signing }

  /// Nothing of it is out of this side's hands: it may be as if it had never been.
  var mayBeForgotten: Bool { !hasSigned }
}
