// Lightning/Wire: the messages of BOLT 1, 2 and 4, byte by byte, and the encrypted transport of BOLT 8. No sockets
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
  public var channel: Bytes32? { layout.channel }

  public var type: UInt16 { layout.type }

  /// As BOLT 1 or 2 calls it, or this project.
  public var name: String { layout.name }

  private var layout: (type: UInt16, name: String, channel: Bytes32?, body: any WireCodable) {
    switch self {
    case .warning(let body): (1, "warning", body.channel, body)
    case .quiescence(let body): (2, "stfu", body.channel, body)
    case .peerStorage(let body): (7, "peer_storage", nil, body)
    case .peerStorageRetrieval(let body): (9, "peer_storage_retrieval", nil, body)
    case .initMessage(let body): (16, "init", nil, body)
    case .error(let body): (17, "error", body.channel, body)
    case .ping(let body): (18, "ping", nil, body)
    case .pong(let ignored): (19, "pong", nil, Padding(bytes: ignored))
    case .addInput(let body): (66, "tx_add_input", body.channel, body)
    case .addOutput(let body): (67, "tx_add_output", body.channel, body)
    case .transactionComplete(let body): (70, "tx_complete", body.channel, body)
    case .transactionSignatures(let body): (71, "tx_signatures", body.channel, body)
    case .transactionAbort(let body): (74, "tx_abort", body.channel, body)
    case .spliceLocked(let body): (77, "splice_locked", body.channel, body)
    case .spliceInit(let body): (80, "splice_init", body.channel, body)
    case .spliceAck(let body): (81, "splice_ack", body.channel, body)
    case .addHTLC(let body): (128, "update_add_htlc", body.channel, body)
    case .fulfillHTLC(let body): (130, "update_fulfill_htlc", body.channel, body)
    case .failHTLC(let body): (131, "update_fail_htlc", body.channel, body)
    case .commitmentSigned(let body): (132, "commitment_signed", body.channel, body)
    case .revokeAndAck(let body): (133, "revoke_and_ack", body.channel, body)
    case .updateFee(let body): (134, "update_fee", body.channel, body)
    case .failMalformedHTLC(let body): (135, "update_fail_malformed_htlc", body.channel, body)
    case .channelReestablish(let body): (136, "channel_reestablish", body.channel, body)
    case .fenceAnswer(let body): (FenceAnswer.messageType, "fence_answer", nil, body)
    case .pushKey(let key): (Message.pushKeyType, "push_key", nil, key)
    case .holdEnded(let paymentHash): (Message.holdEndedType, "hold_ended", nil, paymentHash)
    case .service(let payload): (Message.serviceType, "lsps", nil, Payload(bytes: payload))
    case .unknown(let type, let bytes): (type, "message \(type)", nil, Payload(bytes: bytes))
    }
  }

  /// The bytes on the wire, the type first.
  public func encoded() -> [UInt8] {
    let layout = layout
    var writer = WireWriter()
    writer.write(layout.type)
    writer.write(layout.body)
    return writer.bytes
  }

  /// The bytes in the ledger: a backup's hash stands in its place.
  public var ledgerBytes: [UInt8] {
    switch self {
    case .peerStorage(let blob): Message.peerStorage(Blob(blob.hash.bytes)).encoded()
    case .peerStorageRetrieval(let blob): Message.peerStorageRetrieval(Blob(blob.hash.bytes)).encoded()
    default: encoded()
    }
  }

  /// Strict: numbers in their shortest form, records in ascending order, complete, nothing after the end.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Message.maximumSize else { throw .tooLong }
    var reader = WireReader(bytes)
    let type: UInt16 = try reader.read()
    switch type {
    case 1: self = .warning(try reader.read())
    case 2: self = .quiescence(try reader.read())
    case 7: self = .peerStorage(try reader.read())
    case 9: self = .peerStorageRetrieval(try reader.read())
    case 16: self = .initMessage(try reader.read())
    case 17: self = .error(try reader.read())
    case 18: self = .ping(try reader.read())
    case 19: self = .pong((try reader.read() as Padding).bytes)
    case 66: self = .addInput(try reader.read())
    case 67: self = .addOutput(try reader.read())
    case 70: self = .transactionComplete(try reader.read())
    case 71: self = .transactionSignatures(try reader.read())
    case 74: self = .transactionAbort(try reader.read())
    case 77: self = .spliceLocked(try reader.read())
    case 80: self = .spliceInit(try reader.read())
    case 81: self = .spliceAck(try reader.read())
    case 128: self = .addHTLC(try reader.read())
    case 130: self = .fulfillHTLC(try reader.read())
    case 131: self = .failHTLC(try reader.read())
    case 132: self = .commitmentSigned(try reader.read())
    case 133: self = .revokeAndAck(try reader.read())
    case 134: self = .updateFee(try reader.read())
    case 135: self = .failMalformedHTLC(try reader.read())
    case 136: self = .channelReestablish(try reader.read())
    case Message.serviceType: self = .service((try reader.read() as Payload).bytes)
    default:
      guard !type.isMultiple(of: 2) || Gossip.types.contains(type) else { throw .unknownEvenMessage(type) }
      self = Message(ownOr: type, (try reader.read() as Payload).bytes)
    }
    guard reader.isAtEnd else { throw .trailingBytes }
  }

  /// Other software may use our types for other messages, which are unknown here.
  private init(ownOr type: UInt16, _ bytes: Bytes) {
    var reader = WireReader(bytes.array)
    if type == FenceAnswer.messageType, let answer: FenceAnswer = try? reader.read(), reader.isAtEnd {
      self = .fenceAnswer(answer)
    } else if type == Message.pushKeyType, let key = CurvePoint(bytes.array) {
      self = .pushKey(key)
    } else if type == Message.holdEndedType, let paymentHash = Bytes32(bytes.array) {
      self = .holdEnded(paymentHash)
    } else {
      self = .unknown(type: type, bytes: bytes)
    }
  }

  /// Bytes to be ignored, like the records after them.
  private struct Padding: WireCodable {
    var bytes: Bytes

    static var blank: Padding { Padding(bytes: []) }
    mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
      try coder.field(&bytes)
      try coder.ignoreRecords()
    }
  }
}
