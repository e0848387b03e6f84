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
