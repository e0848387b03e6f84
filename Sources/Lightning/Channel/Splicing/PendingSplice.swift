import Crypto

/// A splice-out, from the step that binds this side until both ends use the new funding. It has all data needed to
/// complete the splice.
public struct PendingSplice: Hashable, Codable, Sendable {
  /// Both ends go through these three. The messages of a stage are durable before they are sent, and can be sent
  /// again.
  public enum Stage: UInt8, Hashable, Codable, Sendable, CaseIterable {
    /// This side has sent `commitment_signed` for the new funding. → committed, forgotten
    case signing = 1
    /// Both have sent `commitment_signed`. The non-initiator has also sent `tx_signatures`, and is bound for good. →
    /// signed; forgotten only by the initiator
    case committed = 2
    /// Both have sent `tx_signatures`, and this side has sent `splice_locked`. → the new funding
    case signed = 3
  }

  /// Whether this side is the initiator, whose money is withdrawn.
  public var isOurs: Bool
  public var stage: Stage
  /// The transaction without witnesses, which its id is the hash of.
  public var transaction: Bytes
  /// The index of the channel's output.
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

  public var id: TransactionID { TransactionID(hash: SHA256.hash(SHA256.hash(transaction.array).bytes)) }

  /// The new funding.
  public var funding: OutPoint { OutPoint(transaction: id, index: fundingIndex) }

  /// The decrease of the balance. Cannot overflow: the amounts were checked.
  var totalMsat: UInt64 { (amountSat &+ feeSat) &* 1000 }

  /// Whether this side has sent `tx_signatures`. The non-initiator signs first.
  var hasSigned: Bool { isOurs ? stage == .signed : stage != .signing }

  /// Without this side's `tx_signatures` the transaction cannot be broadcast.
  var mayBeForgotten: Bool { !hasSigned }
}
