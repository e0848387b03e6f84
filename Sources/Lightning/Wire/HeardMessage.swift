import Bitcoin

/// A message from the other end, without what is long and nobody reads: what is kept of it stands in journals and in the
/// ledger, and a stranger could fill both with 65,535 bytes at a time.
public struct HeardMessage: Hashable, Sendable {
  /// Shorter messages are kept as they came.
  public static let shortSize = 512
  /// What is left of a field that only people read.
  private static let keptText = 256
  private static let keptBytes = 64

  public let message: Message
  /// As it came, or, of a long one, as what is left of it would have come.
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) throws(WireError) {
    let whole = try Message(decoding: bytes)
    guard bytes.count > Self.shortSize else {
      message = whole
      self.bytes = bytes
      return
    }
    message = Self.shortened(whole)
    self.bytes = message == whole ? bytes : message.encoded()
  }

  /// Of bytes that are no message.
  public static func kept(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.prefix(shortSize)) }

  private static func shortened(_ message: Message) -> Message {
    switch message {
    case .unknown(let type, let bytes):
      return .unknown(type: type, bytes: Bytes(Array(bytes.array.prefix(keptBytes))))
    case .ping(let ping): return .ping(Ping(pongSize: ping.pongSize))
    case .pong: return .pong([])
    case .warning(let complaint): return .warning(shortened(complaint))
    case .error(let complaint): return .error(shortened(complaint))
    case .initMessage(var initMessage):
      initMessage.others = RecordStream()
      initMessage.globalFeatures = Features(bytes: initMessage.globalFeatures).kept.bytes
      initMessage.features = initMessage.features.kept
      initMessage.networks = initMessage.networks.map { Array($0.prefix(InitMessage.keptNetworks)) }
      return .initMessage(initMessage)
    default: return message
    }
  }

  private static func shortened(_ complaint: Complaint) -> Complaint {
    Complaint(
      channel: complaint.channel, data: Bytes(Array(complaint.data.array.prefix(keptText))),
      code: complaint.code)
  }
}
