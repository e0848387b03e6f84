import Ground

/// BOLT 2 `commitment_signed`: signs the other side's next commitment, with all updates sent before.
public struct CommitmentSigned: Hashable, Codable, Sendable {
  /// BOLT 2 `funding_txid`.
  public static let fundingType: UInt64 = 1

  public var channel: Bytes32
  public var signature: Signature
  public var htlcSignatures: [Signature]
  /// The funding that the commitment spends. Nil: the current one.
  public var funding: TransactionID?
  public var extensions: RecordStream

  public init(
    channel: Bytes32, signature: Signature = .zeros, htlcSignatures: [Signature] = [],
    funding: TransactionID? = nil, extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.signature = signature
    self.htlcSignatures = htlcSignatures
    self.funding = funding
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    signature = try reader.fixed(Signature.self)
    let count = Int(try reader.u16())
    // Checked before the loop, so that a wrong count costs no memory.
    guard count * Signature.size <= reader.remaining else { throw .truncated }
    htlcSignatures = []
    for _ in 0..<count { htlcSignatures.append(try reader.fixed(Signature.self)) }
    extensions = try reader.records()
    funding = try extensions.takeTransaction(CommitmentSigned.fundingType)
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.put(signature)
    let signatures = htlcSignatures.prefix(Int(UInt16.max))
    writer.u16(UInt16(signatures.count))
    for signature in signatures { writer.put(signature) }
    writer.records(extensions.with(CommitmentSigned.fundingType, funding.map { Bytes($0.hash.bytes) }))
  }
}

/// A 64-byte signature on the wire.
public struct Signature: FixedBytes {
  public static let size = 64
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }
}
