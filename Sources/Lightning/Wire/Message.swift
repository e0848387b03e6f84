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
