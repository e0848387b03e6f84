import Ground
import LightningWire

/// What all other nodes together may cost: each connection is a few rows of the ledger, each message a row and a line of
/// the journal. One connection has its own limit, but nothing keeps a stranger from dialling again.
struct VisitorLoad: Hashable, Codable, Sendable {
  static let connectionsPerMinute = 120
  static let messagesPerMinute = 1200
  /// As the ledger has them; the journal has three times as much of it.
  static let bytesPerMinute = 1024 * 1024

  private var connections = Allowance(Self.connectionsPerMinute)
  private var messages = Allowance(Self.messagesPerMinute)
  private var bytes = Allowance(Self.bytesPerMinute)

  mutating func takesConnection(at now: Instant) -> Bool { connections.takes(1, at: now) }

  func isFull(at now: Instant) -> Bool { connections.isUsedUp(at: now) }

  mutating func takes(_ message: Message, at now: Instant) -> Bool {
    messages.takes(1, at: now) && bytes.takes(message.weight, at: now)
  }

  mutating func forgetLongAgo(at now: Instant) {
    connections.forgetLongAgo(at: now)
    messages.forgetLongAgo(at: now)
    bytes.forgetLongAgo(at: now)
  }
}

extension VisitorLoad: Shiftable {
  mutating func shift(by span: TimeSpan) {
    connections.shift(by: span)
    messages.shift(by: span)
    bytes.shift(by: span)
  }
}

extension Message {
  /// About what it and its answer cost to keep. All that is not named is short, or ends the connection.
  var weight: Int {
    switch self {
    case .peerStorage(let blob), .peerStorageRetrieval(let blob): blob.count
    case .ping(let ping): ping.answer == nil ? 0 : Int(ping.pongSize)
    default: HeardMessage.shortSize
    }
  }
}
