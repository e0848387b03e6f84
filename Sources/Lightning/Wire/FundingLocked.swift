import Bitcoin

/// BOLT 2 `my_current_funding_locked` of `channel_reestablish`: as good as a `splice_locked` that was lost on the way.
public struct FundingLocked: Hashable, Codable, Sendable {
  public static let recordType: UInt64 = 5

  public var transaction: TransactionID
  /// What is to be sent again: announcements alone, and a channel of a wallet is never announced.
  public var flags: UInt8

  public init(transaction: TransactionID, flags: UInt8 = 0) {
    self.transaction = transaction
    self.flags = flags
  }

  init(record: Bytes) throws(WireError) {
    (transaction, flags) = try FundingRecord.read(record, type: Self.recordType)
  }

  var record: Bytes { FundingRecord.write(transaction, flags) }
}
