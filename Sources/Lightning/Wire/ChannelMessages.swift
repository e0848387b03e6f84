import Ground

/// BOLT 2 `update_add_htlc`: offers an HTLC.
public struct AddHTLC: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var id: UInt64
  public var amountMsat: UInt64
  public var paymentHash: Bytes32
  public var cltvExpiry: UInt32
  public var onion = OnionPacket.zeros
  /// Nil from a peer that does not know the record.
  public var paymentData: PaymentData?
  /// The other records.
  public var extensions = RecordStream()

  package static var blank: AddHTLC {
    AddHTLC(channel: .zero, id: 0, amountMsat: 0, paymentHash: .zero, cltvExpiry: 0)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &id, &amountMsat, &paymentHash)
    try coder.fields(&cltvExpiry, &onion)
    try coder.record(PaymentData.recordType, &paymentData)
    try coder.records(&extensions)
  }
}

/// The onion packet of an HTLC (BOLT 4).
public struct OnionPacket: FixedBytes {
  public static let size = 1366
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }

  /// In a journal without the zeros at its end, which are most of our packets.
  public init(from decoder: any Decoder) throws {
    let written = try Bytes(from: decoder)
    let zeros = [UInt8](repeating: 0, count: max(0, Self.size - written.count))
    guard let packet = OnionPacket(written.array + zeros) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "an onion packet has at most \(Self.size) bytes"))
    }
    self = packet
  }

  public func encode(to encoder: any Encoder) throws {
    let end = bytes.array.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    try Bytes(Array(bytes.array[..<end])).encode(to: encoder)
  }
}

/// BOLT 4 `payment_data`: the payment that a part belongs to, and the total of all parts.
///
/// BOLT 4 puts it into the onion's payload for the recipient. There is no onion here, so `update_add_htlc` has it in
/// a private odd record, which other software ignores.
public struct PaymentData: Hashable, Codable, Sendable, WireCodable {
  /// The value is as in BOLT 4: `payment_secret` 32 bytes, `total_msat` tu64.
  public static let recordType: UInt64 = 0xba70_0005

  /// The invoice's payment secret: it proves that the sender has the invoice, not only the payment hash.
  public var secret: Bytes32
  public var totalMsat: UInt64

  public init(secret: Bytes32, totalMsat: UInt64) {
    self.secret = secret
    self.totalMsat = totalMsat
  }

  package static var blank: PaymentData { PaymentData(secret: .zero, totalMsat: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&secret)
    try coder.truncated(&totalMsat)
  }
}

/// BOLT 2 `update_fulfill_htlc`: fulfills an HTLC with its preimage.
public struct FulfillHTLC: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var id: UInt64
  public var preimage: Bytes32
  public var extensions = RecordStream()

  package static var blank: FulfillHTLC { FulfillHTLC(channel: .zero, id: 0, preimage: .zero) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &id, &preimage)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `update_fail_htlc`: fails an HTLC. There are no onions here: the reason is the two-byte failure code of
/// BOLT 4, not an encrypted packet.
public struct FailHTLC: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var id: UInt64
  public var reason: Bytes
  public var extensions = RecordStream()

  /// Nil unless the reason is the bare code.
  public var code: UInt16? {
    reason.count == 2 ? UInt16(reason.array[0]) << 8 | UInt16(reason.array[1]) : nil
  }

  package static var blank: FailHTLC { FailHTLC(channel: .zero, id: 0, reason: []) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &id, &reason)
    try coder.records(&extensions)
  }
}

extension FailHTLC {
  init(channel: Bytes32, id: UInt64, code: UInt16) {
    self.init(channel: channel, id: id, reason: [UInt8(code >> 8), UInt8(code & 0xff)])
  }
}

/// BOLT 2 `update_fail_malformed_htlc`: the receiver could not read the onion, so it has no key to encrypt a reason.
/// The sender of the HTLC gets the unencrypted code.
public struct FailMalformedHTLC: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var id: UInt64
  /// The hash of the received onion; zeros if omitted.
  public var onionHash = Bytes32.zero
  public var code: UInt16
  public var extensions = RecordStream()

  package static var blank: FailMalformedHTLC { FailMalformedHTLC(channel: .zero, id: 0, code: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &id, &onionHash, &code)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `update_fee`: the opener sets a new feerate for the commitments.
public struct UpdateFee: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// In satoshis per 1000 weight units.
  public var feeratePerKw: UInt32
  public var extensions = RecordStream()

  package static var blank: UpdateFee { UpdateFee(channel: .zero, feeratePerKw: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &feeratePerKw)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `commitment_signed`: signs the other side's next commitment, with all updates sent before.
public struct CommitmentSigned: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var signature = Signature.zeros
  public var htlcSignatures: [Signature] = []
  /// The funding that the commitment spends. Nil: the current one.
  public var funding: TransactionID?
  public var extensions = RecordStream()

  /// BOLT 2 `funding_txid`.
  private static let fundingType: UInt64 = 1

  package static var blank: CommitmentSigned { CommitmentSigned(channel: .zero) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &signature)
    try coder.list(&htlcSignatures, count: UInt16.self)
    try coder.record(Self.fundingType, &funding)
    try coder.records(&extensions)
  }
}

/// A 64-byte signature on the wire.
public struct Signature: FixedBytes {
  public static let size = 64
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }
}

/// BOLT 2 `revoke_and_ack`: revokes the sender's previous commitment.
public struct RevokeAndAck: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  public var perCommitmentSecret: Bytes32
  public var nextPerCommitmentPoint = CurvePoint.zeros
  public var extensions = RecordStream()

  package static var blank: RevokeAndAck { RevokeAndAck(channel: .zero, perCommitmentSecret: .zero) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &perCommitmentSecret, &nextPerCommitmentPoint)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `channel_reestablish`: the sender's numbers, from which both sides derive which messages were lost.
public struct ChannelReestablish: Hashable, Codable, Sendable, WireCodable {
  public var channel: Bytes32
  /// The number of the next `commitment_signed` its sender expects.
  public var nextCommitmentNumber: UInt64
  /// The number of the commitment whose `revoke_and_ack` its sender expects next.
  public var nextRevocationNumber: UInt64
  public var yourLastPerCommitmentSecret: Bytes32
  public var myCurrentPerCommitmentPoint = CurvePoint.zeros
  public var nextFunding: NextFunding?
  public var fundingLocked: FundingLocked?
  /// The other records.
  public var extensions = RecordStream()

  package static var blank: ChannelReestablish {
    ChannelReestablish(
      channel: .zero, nextCommitmentNumber: 0, nextRevocationNumber: 0, yourLastPerCommitmentSecret: .zero)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &nextCommitmentNumber, &nextRevocationNumber)
    try coder.fields(&yourLastPerCommitmentSecret, &myCurrentPerCommitmentPoint)
    try coder.record(NextFunding.recordType, &nextFunding)
    try coder.record(FundingLocked.recordType, &fundingLocked)
    try coder.records(&extensions)
  }
}

/// BOLT 2 `my_current_funding_locked` of `channel_reestablish`: replaces a lost `splice_locked`.
public struct FundingLocked: Hashable, Codable, Sendable, WireCodable {
  public static let recordType: UInt64 = 5

  public var transaction: TransactionID
  /// Only bits for announcements, which a wallet's channel does not have.
  public var flags: UInt8 = 0

  package static var blank: FundingLocked { FundingLocked(transaction: .blank) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&transaction, &flags)
  }
}

/// BOLT 2 `next_funding` of `channel_reestablish`: the sender has signed this transaction, and lacks the other
/// side's signatures.
public struct NextFunding: Hashable, Codable, Sendable, WireCodable {
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

  package static var blank: NextFunding { NextFunding(transaction: .blank, needsCommitment: false) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&transaction, &flags)
  }
}
