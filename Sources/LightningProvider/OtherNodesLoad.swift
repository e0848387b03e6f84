import Ground
import Lightning

/// The limits on all unknown nodes together: each connection adds a few rows to the ledger, each message a row and a
/// line of the journal. A limit per connection is not enough, as an unknown node can dial again.
struct OtherNodesLoad: Hashable, Codable, Sendable {
  static let connectionsPerMinute = 120
  static let messagesPerMinute = 1200
  /// In the ledger; the journal needs three times as many.
  static let bytesPerMinute = 1024 * 1024

  private var connections = RateLimit(per: .seconds(60))
  private var messages = RateLimit(per: .seconds(60))
  private var bytes = RateLimit(per: .seconds(60))

  mutating func takesConnection(at now: Instant) -> Bool {
    connections.takes(of: Self.connectionsPerMinute, at: now)
  }

  func isFull(at now: Instant) -> Bool { connections.isUsedUp(Self.connectionsPerMinute, at: now) }

  mutating func takes(_ message: Message, at now: Instant) -> Bool {
    messages.takes(of: Self.messagesPerMinute, at: now)
      && bytes.takes(message.weight, of: Self.bytesPerMinute, at: now)
  }

  mutating func forgetLongAgo(at now: Instant) {
    connections.forgetLongAgo(at: now)
    messages.forgetLongAgo(at: now)
    bytes.forgetLongAgo(at: now)
  }
}

extension OtherNodesLoad: Shiftable {
  mutating func shift(by span: TimeSpan) {
    connections.shift(by: span)
    messages.shift(by: span)
    bytes.shift(by: span)
  }
}

extension Message {
  /// The approximate size of the stored message and its answer. Messages of other types are short, or end the
  /// connection.
  var weight: Int {
    switch self {
    case .peerStorage(let blob), .peerStorageRetrieval(let blob): blob.count
    case .service(let payload): HeardMessage.shortSize + payload.count
    case .ping(let ping): ping.answer == nil ? 0 : Int(ping.pongSize)
    default: HeardMessage.shortSize
    }
  }
}
