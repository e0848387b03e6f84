import Ground

/// BOLT 2 `revoke_and_ack`: revokes the sender's previous commitment.
public struct RevokeAndAck: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var perCommitmentSecret: Bytes32
  public var nextPerCommitmentPoint: CurvePoint
  public var extensions: RecordStream

  public init(
    channel: Bytes32, perCommitmentSecret: Bytes32, nextPerCommitmentPoint: CurvePoint = .zeros,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.perCommitmentSecret = perCommitmentSecret
    self.nextPerCommitmentPoint = nextPerCommitmentPoint
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    perCommitmentSecret = try reader.bytes32()
    nextPerCommitmentPoint = try reader.fixed(CurvePoint.self)
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.put(perCommitmentSecret)
    writer.put(nextPerCommitmentPoint)
    writer.records(extensions)
  }
}
