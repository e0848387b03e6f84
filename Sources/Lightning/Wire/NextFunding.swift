import Bitcoin

/// BOLT 2 `next_funding` of `channel_reestablish`: the sender has signed this transaction, and has not the other's
/// signatures of it.
public struct NextFunding: Hashable, Codable, Sendable {
  public static let recordType: UInt64 = 1
  private static let commitmentFlag: UInt8 = 1

  public var transaction: TransactionID
  /// What is to be sent again. Bits that nobody knows are kept.
  public var flags: UInt8

  public init(transaction: TransactionID, needsCommitment: Bool) {
    self.transaction = transaction
    flags = needsCommitment ? Self.commitmentFlag : 0
  }

  /// The sender has no `commitment_signed` for it.
  public var needsCommitment: Bool { flags & Self.commitmentFlag != 0 }

  init(record: Bytes) throws(WireError) {
    (transaction, flags) = try FundingRecord.read(record, type: Self.recordType)
  }

  var record: Bytes { FundingRecord.write(transaction, flags) }
}
