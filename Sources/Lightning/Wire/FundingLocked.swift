/// BOLT 2 `my_current_funding_locked` of `channel_reestablish`: replaces a lost `splice_locked`.
public struct FundingLocked: Hashable, Codable, Sendable {
  public static let recordType: UInt64 = 5

  public var transaction: TransactionID
  /// Only bits for announcements, which a wallet's channel does not have.
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
