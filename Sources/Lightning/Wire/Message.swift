// LightningWire: the messages of BOLT 1, 2 and 4, byte by byte, and the encrypted transport of BOLT 8. No sockets
// and no channel state.

import Ground

/// One message of BOLT 1 or BOLT 2, in their exact layout.
public enum Message: Hashable, Codable, Sendable {
  /// `init`
  case initMessage(InitMessage)
  case error(ErrorOrWarning)
  case warning(ErrorOrWarning)
  case ping(Ping)
  case pong(Bytes)
  /// `peer_storage`: the sender's backup.
  case peerStorage(Blob)
  /// `peer_storage_retrieval`: the recipient's backup.
  case peerStorageRetrieval(Blob)
  case channelReestablish(ChannelReestablish)
  case addHTLC(AddHTLC)
  case fulfillHTLC(FulfillHTLC)
  case failHTLC(FailHTLC)
  case failMalformedHTLC(FailMalformedHTLC)
  case updateFee(UpdateFee)
  case commitmentSigned(CommitmentSigned)
  case revokeAndAck(RevokeAndAck)
  /// `stfu`
  case quiescence(Quiescence)
  case addInput(AddInput)
  case addOutput(AddOutput)
  case transactionComplete(TransactionComplete)
  case transactionSignatures(TransactionSignatures)
  case transactionAbort(TransactionAbort)
  case spliceLocked(SpliceLocked)
  case spliceInit(SpliceInit)
  case spliceAck(SpliceAck)
  /// Private to this project: the answer to a fence.
  case fenceAnswer(FenceAnswer)
  /// `push_key`, private to this project: the key that the wallet's pushes are sealed to.
  case pushKey(CurvePoint)
  /// `hold_ended`, private to this project: the LSP no longer holds a payment of this hash, which has failed.
  case holdEnded(Bytes32)
  /// LSPS0: JSON-RPC between a wallet and its LSP.
  case service(Bytes)
  /// To be ignored: an unknown odd type, or gossip, whose types are even and odd.
  case unknown(type: UInt16, bytes: Bytes)

  /// Including the type.
  public static let maximumSize = 65535
  /// Odd and in BOLT 1's range for custom messages, as `FenceAnswer.messageType`.
  public static let pushKeyType: UInt16 = 0xba73
  public static let holdEndedType: UInt16 = 0xba75
  /// LSPS0's one type.
  public static let serviceType: UInt16 = 37913
  /// The longest blob of one `peer_storage`.
  public static let maximumStorageSize = 65531

  /// The message's channel id.
  public var channel: Bytes32? {
    switch self {
    case .channelReestablish(let body): body.channel
    case .addHTLC(let body): body.channel
    case .fulfillHTLC(let body): body.channel
    case .failHTLC(let body): body.channel
    case .failMalformedHTLC(let body): body.channel
    case .updateFee(let body): body.channel
    case .commitmentSigned(let body): body.channel
    case .revokeAndAck(let body): body.channel
    case .quiescence(let body): body.channel
    case .addInput(let body): body.channel
    case .addOutput(let body): body.channel
    case .transactionComplete(let body): body.channel
    case .transactionSignatures(let body): body.channel
    case .transactionAbort(let body): body.channel
    case .spliceLocked(let body): body.channel
    case .spliceInit(let body): body.channel
    case .spliceAck(let body): body.channel
    case .error(let body), .warning(let body): body.channel
    case .initMessage, .ping, .pong, .peerStorage, .peerStorageRetrieval, .fenceAnswer, .pushKey, .holdEnded,
      .service, .unknown:
      nil
    }
  }

  public var type: UInt16 {
    switch self {
    case .warning: 1
    case .quiescence: 2
    case .peerStorage: 7
    case .peerStorageRetrieval: 9
    case .initMessage: 16
    case .error: 17
    case .ping: 18
    case .pong: 19
    case .addInput: 66
    case .addOutput: 67
    case .transactionComplete: 70
    case .transactionSignatures: 71
    case .transactionAbort: 74
    case .spliceLocked: 77
    case .spliceInit: 80
    case .spliceAck: 81
    case .addHTLC: 128
    case .fulfillHTLC: 130
    case .failHTLC: 131
    case .commitmentSigned: 132
    case .revokeAndAck: 133
    case .updateFee: 134
    case .failMalformedHTLC: 135
    case .channelReestablish: 136
    case .fenceAnswer: FenceAnswer.messageType
    case .pushKey: Message.pushKeyType
    case .holdEnded: Message.holdEndedType
    case .service: Message.serviceType
    case .unknown(let type, _): type
    }
  }
}

/// BOLT 2 `tx_complete`: the sender has nothing to add. Sent by both in a row, it ends the negotiation.
public struct TransactionComplete: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var extensions: RecordStream

  public init(channel: Bytes32, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.records(extensions)
  }
}

/// BOLT 2 `splice_locked`: the sender has seen enough confirmations of the new funding.
public struct SpliceLocked: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var transaction: TransactionID
  public var extensions: RecordStream

  public init(channel: Bytes32, transaction: TransactionID, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.transaction = transaction
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    transaction = TransactionID(hash: try reader.bytes32())
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.put(transaction.hash)
    writer.records(extensions)
  }
}

/// BOLT 2 `update_fee`: the opener sets a new feerate for the commitments.
public struct UpdateFee: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// In satoshis per 1000 weight units.
  public var feeratePerKw: UInt32
  public var extensions: RecordStream

  public init(channel: Bytes32, feeratePerKw: UInt32, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.feeratePerKw = feeratePerKw
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    feeratePerKw = try reader.u32()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u32(feeratePerKw)
    writer.records(extensions)
  }
}

/// BOLT 1 `ping`: asks for a `pong` of a given length.
public struct Ping: Hashable, Codable, Sendable {
  /// From this number on no `pong` is sent.
  public static let noAnswerFrom: UInt16 = 65532

  public var pongSize: UInt16
  public var ignored: Bytes

  public init(pongSize: UInt16, ignored: Bytes = []) {
    self.pongSize = pongSize
    self.ignored = ignored
  }

  /// The `pong`; nil if none is due.
  public var answer: Message? {
    pongSize < Ping.noAnswerFrom ? .pong(Bytes(repeating: 0, count: Int(pongSize))) : nil
  }

  init(reader: inout WireReader) throws(WireError) {
    pongSize = try reader.u16()
    ignored = try reader.counted()
    _ = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.u16(pongSize)
    writer.counted(ignored)
  }
}

/// BOLT 2 `stfu`: the sender sends no more updates while the channel is quiescent.
public struct Quiescence: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// False in an answer.
  public var isInitiator: Bool
  public var extensions: RecordStream

  public init(channel: Bytes32, isInitiator: Bool, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.isInitiator = isInitiator
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    let initiator = try reader.u8()
    guard initiator <= 1 else { throw .impossibleValue }
    isInitiator = initiator == 1
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u8(isInitiator ? 1 : 0)
    writer.records(extensions)
  }
}

/// BOLT 2 `update_fulfill_htlc`: fulfills an HTLC with its preimage.
public struct FulfillHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  public var preimage: Bytes32
  public var extensions: RecordStream

  public init(
    channel: Bytes32, id: UInt64, preimage: Bytes32, extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.id = id
    self.preimage = preimage
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    preimage = try reader.bytes32()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.put(preimage)
    writer.records(extensions)
  }
}

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

/// The LSP's answer to a fence: a private odd message after the wallet's `init`, as the LSP's own `init` is sent
/// before that. `accepted` u8 (0 or 1), `highest` u64, `container` 16 bytes.
public struct FenceAnswer: Hashable, Codable, Sendable {
  /// In BOLT 1's range for custom messages.
  public static let messageType: UInt16 = 0xba71

  public var accepted: Bool
  /// The highest epoch that the LSP has stored; a refused wallet claims above it.
  public var highest: Epoch
  /// The container that the LSP has stored. If it differs, another device uses the node.
  public var container: ContainerID

  public init(accepted: Bool, highest: Epoch, container: ContainerID) {
    self.accepted = accepted
    self.highest = highest
    self.container = container
  }

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 25 else { throw .malformedRecord(UInt64(FenceAnswer.messageType)) }
    let verdict = try reader.u8()
    guard verdict <= 1 else { throw .malformedRecord(UInt64(FenceAnswer.messageType)) }
    accepted = verdict == 1
    highest = try reader.u64()
    container = try reader.containerID()
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u8(accepted ? 1 : 0)
    writer.u64(highest)
    writer.containerID(container)
    return Bytes(writer.bytes)
  }
}

/// BOLT 2 `update_fail_malformed_htlc`: the receiver could not read the onion, so it has no key to encrypt a reason.
/// The sender of the HTLC gets the unencrypted code.
public struct FailMalformedHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  /// The hash of the received onion; zeros if omitted.
  public var onionHash: Bytes32
  public var code: UInt16
  public var extensions: RecordStream

  public init(
    channel: Bytes32, id: UInt64, onionHash: Bytes32 = .zero, code: UInt16,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.id = id
    self.onionHash = onionHash
    self.code = code
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    onionHash = try reader.bytes32()
    code = try reader.u16()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.put(onionHash)
    writer.u16(code)
    writer.records(extensions)
  }
}

/// BOLT 2 `update_fail_htlc`: fails an HTLC. There are no onions here: the reason is the two-byte failure code of
/// BOLT 4, not an encrypted packet.
public struct FailHTLC: Hashable, Codable, Sendable {
  public var channel: Bytes32
  public var id: UInt64
  public var reason: Bytes
  public var extensions: RecordStream

  public init(channel: Bytes32, id: UInt64, reason: Bytes, extensions: RecordStream = RecordStream()) {
    self.channel = channel
    self.id = id
    self.reason = reason
    self.extensions = extensions
  }

  public init(channel: Bytes32, id: UInt64, code: UInt16) {
    self.init(channel: channel, id: id, reason: Bytes([UInt8(code >> 8), UInt8(code & 0xff)]))
  }

  /// Nil unless the reason is the bare code.
  public var code: UInt16? {
    reason.count == 2 ? UInt16(reason.array[0]) << 8 | UInt16(reason.array[1]) : nil
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    id = try reader.u64()
    reason = try reader.counted()
    extensions = try reader.records()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(id)
    writer.counted(reason)
    writer.records(extensions)
  }
}

/// BOLT 2 `splice_init`: begins the replacement of the channel's funding.
public struct SpliceInit: Hashable, Codable, Sendable {
  public var channel: Bytes32
  /// The satoshis that the sender adds to its balance; negative for a withdrawal.
  public var contribution: Int64
  /// In satoshis per 1000 weight units.
  public var feeratePerKw: UInt32
  public var lockTime: UInt32
  public var fundingKey: CurvePoint
  public var needsConfirmedInputs: Bool
  public var extensions: RecordStream

  public init(
    channel: Bytes32, contribution: Int64, feeratePerKw: UInt32, lockTime: UInt32 = 0, fundingKey: CurvePoint,
    needsConfirmedInputs: Bool = false, extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.contribution = contribution
    self.feeratePerKw = feeratePerKw
    self.lockTime = lockTime
    self.fundingKey = fundingKey
    self.needsConfirmedInputs = needsConfirmedInputs
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    contribution = Int64(bitPattern: try reader.u64())
    feeratePerKw = try reader.u32()
    lockTime = try reader.u32()
    fundingKey = try reader.fixed(CurvePoint.self)
    extensions = try reader.records(knowing: [RecordStream.confirmedInputsType])
    needsConfirmedInputs = try extensions.takeConfirmedInputs()
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.u64(UInt64(bitPattern: contribution))
    writer.u32(feeratePerKw)
    writer.u32(lockTime)
    writer.put(fundingKey)
    writer.records(extensions.with(confirmedInputs: needsConfirmedInputs))
  }
}

/// BOLT 2 `tx_signatures`: the other side can broadcast the transaction.
public struct TransactionSignatures: Hashable, Codable, Sendable {
  /// BOLT 2 `shared_input_signature`; even, so required.
  public static let sharedInputType: UInt64 = 0

  public var channel: Bytes32
  public var transaction: TransactionID
  /// The witnesses of the sender's own inputs in order, each in Bitcoin's encoding.
  public var witnesses: [Bytes]
  /// The sender's signature for the input that spends the channel's funding.
  public var sharedInputSignature: Signature?
  public var extensions: RecordStream

  public init(
    channel: Bytes32, transaction: TransactionID, witnesses: [Bytes] = [],
    sharedInputSignature: Signature? = nil,
    extensions: RecordStream = RecordStream()
  ) {
    self.channel = channel
    self.transaction = transaction
    self.witnesses = witnesses
    self.sharedInputSignature = sharedInputSignature
    self.extensions = extensions
  }

  init(reader: inout WireReader) throws(WireError) {
    channel = try reader.bytes32()
    transaction = TransactionID(hash: try reader.bytes32())
    let count = Int(try reader.u16())
    // Checked before the loop, so that a wrong count costs no memory.
    guard count * 2 <= reader.remaining else { throw .truncated }
    witnesses = []
    for _ in 0..<count { witnesses.append(try reader.counted()) }
    extensions = try reader.records(knowing: [TransactionSignatures.sharedInputType])
    if let record = extensions.take(TransactionSignatures.sharedInputType) {
      guard let signature = Signature(record.array) else {
        throw .malformedRecord(TransactionSignatures.sharedInputType)
      }
      sharedInputSignature = signature
    }
  }

  func write(to writer: inout WireWriter) {
    writer.put(channel)
    writer.put(transaction.hash)
    let written = witnesses.prefix(Int(UInt16.max))
    writer.u16(UInt16(written.count))
    for witness in written { writer.counted(witness) }
    writer.records(extensions.with(TransactionSignatures.sharedInputType, sharedInputSignature?.bytes))
  }
}
