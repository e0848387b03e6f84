import Ground

/// BOLT 2 `splice_ack`: accepts a splice.
public struct SpliceAck: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// The satoshis that the sender adds to its balance; negative for a withdrawal.
  public var contribution: Int64
  public var fundingKey: CurvePoint
  public var needsConfirmedInputs: Bool
  public var extensions: RecordStream

  public init(
    channel: Bytes32, contribution: Int64 = 0, fundingKey: CurvePoint, needsConfirmedInputs: Bool = false,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.contribution = contribution
    self.fundingKey = fundingKey
    self.needsConfirmedInputs = needsConfirmedInputs
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    contribution = Int64(bitPattern: try reader.u64())
    fundingKey = try reader.fixed(CurvePoint.self)
    extensions = try reader.records(knowing: [RecordStream.confirmedInputsType])
    needsConfirmedInputs = try extensions.takeConfirmedInputs()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(UInt64(bitPattern: contribution))
    writer.put(fundingKey)
    writer.records(extensions.with(confirmedInputs: needsConfirmedInputs))
  }
}
