/// A received message without its long unused fields: journals and the ledger store it, and an unknown node could
/// fill both with 65,535 bytes at a time.
public struct HeardMessage: Hashable, Sendable {
  /// Shorter messages are kept unchanged.
  public static let shortSize = 512
  /// The kept length of a text field.
  private static let keptText = 256
  private static let keptBytes = 64
  /// Above any request of a wallet.
  private static let serviceMax = 8192

  public let message: Message
  /// As received, or of the shortened message. A backup is replaced by its hash.
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) throws(WireError) {
    let whole = try Message(decoding: bytes)
    message = bytes.count > Self.shortSize ? Self.shortened(whole) : whole
    switch message {
    case .peerStorage, .peerStorageRetrieval: self.bytes = message.ledgerBytes
    default: self.bytes = message == whole ? bytes : message.encoded()
    }
  }

  /// For bytes that are not a valid message.
  public static func kept(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix(shortSize)) }

  private static func shortened(_ message: Message) -> Message {
    switch message {
    case .unknown(let type, let bytes):
      return .unknown(type: type, bytes: Bytes(Array(bytes.array.prefix(keptBytes))))
    // The zero makes it unreadable, so that it is not taken for a shorter request.
    case .service(let payload) where payload.count > serviceMax:
      return .service(Bytes(Array(payload.array.prefix(keptBytes)) + [0]))
    case .ping(let ping): return .ping(Ping(pongSize: ping.pongSize))
    case .pong: return .pong([])
    case .warning(let body): return .warning(shortened(body))
    case .error(let body): return .error(shortened(body))
    case .initMessage(var initMessage):
      initMessage.others = RecordStream()
      initMessage.globalFeatures = Features(bytes: initMessage.globalFeatures).kept.bytes
      initMessage.features = initMessage.features.kept
      initMessage.networks = initMessage.networks.map { Array($0.prefix(InitMessage.keptNetworks)) }
      return .initMessage(initMessage)
    default: return message
    }
  }

  private static func shortened(_ body: ErrorOrWarning) -> ErrorOrWarning {
    ErrorOrWarning(
      channel: body.channel, data: Bytes(Array(body.data.array.prefix(keptText))), code: body.code)
  }
}
