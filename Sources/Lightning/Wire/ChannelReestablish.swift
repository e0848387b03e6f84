import Ground

/// BOLT 2 `channel_reestablish`: the sender's numbers, from which both sides derive which messages were lost.
public struct ChannelReestablish: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// The number of the next `commitment_signed` its sender expects.
  public var nextCommitmentNumber: UInt64
  /// The number of the commitment whose `revoke_and_ack` its sender expects next.
  public var nextRevocationNumber: UInt64
  public var yourLastPerCommitmentSecret: Bytes32
  public var myCurrentPerCommitmentPoint: CurvePoint
  public var nextFunding: NextFunding?
  public var fundingLocked: FundingLocked?
  /// The other records.
  public var extensions: RecordStream

  public init(
    channel: Bytes32, nextCommitmentNumber: UInt64, nextRevocationNumber: UInt64,
    yourLastPerCommitmentSecret: Bytes32, myCurrentPerCommitmentPoint: CurvePoint = .zeros,
    nextFunding: NextFunding? = nil, fundingLocked: FundingLocked? = nil,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.nextCommitmentNumber = nextCommitmentNumber
    self.nextRevocationNumber = nextRevocationNumber
    self.yourLastPerCommitmentSecret = yourLastPerCommitmentSecret
    self.myCurrentPerCommitmentPoint = myCurrentPerCommitmentPoint
    self.nextFunding = nextFunding
    self.fundingLocked = fundingLocked
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    nextCommitmentNumber = try reader.u64()
    nextRevocationNumber = try reader.u64()
    yourLastPerCommitmentSecret = try reader.bytes32()
    myCurrentPerCommitmentPoint = try reader.fixed(CurvePoint.self)
    extensions = try reader.records()
    if let record = extensions.take(NextFunding.recordType) { nextFunding = try NextFunding(record: record) }
    if let record = extensions.take(FundingLocked.recordType) {
      fundingLocked = try FundingLocked(record: record)
    }
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(nextCommitmentNumber)
    writer.u64(nextRevocationNumber)
    writer.put(yourLastPerCommitmentSecret)
    writer.put(myCurrentPerCommitmentPoint)
    writer.records(
      extensions.with(NextFunding.recordType, nextFunding?.record)
        .with(FundingLocked.recordType, fundingLocked?.record))
  }
}

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

/// The layout of both funding records of `channel_reestablish`: a transaction's id and a byte of flags.
enum FundingRecord {
  static func read(_ record: Bytes, type: UInt64) throws(WireError) -> (TransactionID, UInt8) {
    guard let flags = record.array.last, let hash = Bytes32(record.array.dropLast()) else {
      throw .malformedRecord(type)
    }
    return (TransactionID(hash: hash), flags)
  }

  static func write(_ transaction: TransactionID, _ flags: UInt8) -> Bytes {
    Bytes(transaction.hash.bytes + [flags])
  }
}
