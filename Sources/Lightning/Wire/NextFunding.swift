/// BOLT 2 `next_funding` of `channel_reestablish`: the sender has signed this transaction, and lacks the other
/// side's signatures.
public struct NextFunding: Hashable, Codable, Sendable {
  public static let recordType: UInt64 = 1
  private static let commitmentFlag: UInt8 = 1

  public var transaction: TransactionID
  /// Which messages to send again. Unknown bits are kept.
  public var flags: UInt8

  public init(transaction: TransactionID, needsCommitment: Bool) {
    self.transaction = transaction
    flags = needsCommitment ? Self.commitmentFlag : 0
  }

  /// The sender lacks our `commitment_signed`.
  public var needsCommitment: Bool { flags & Self.commitmentFlag != 0 }

  init(record: Bytes) throws(WireError) {
    (transaction, flags) = try FundingRecord.read(record, type: Self.recordType)
  }

  var record: Bytes { FundingRecord.write(transaction, flags) }
}
