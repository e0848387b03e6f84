import CoreShape

/// Counts messages that nobody needs, or not so many of: pings, pongs, warnings, copies of the backup, and types
/// that are not known.
///
/// BOLT 1 expects a ping every half minute or so. Each one costs a line of the journal and an answer of up to 64 KiB;
/// who sends them without end wants to use up our disk and our time.
struct Chatter: Hashable, Codable, Sendable {
  static let limit = 20
  static let window = Span.seconds(10)
  static let complaint = "more than \(limit) messages in 10 s that need nothing"

  var since: Instant?
  var count = 0

  /// Counts one more; true when it is one too many.
  mutating func isTooMuch(at now: Instant) -> Bool {
    if let since, now - since < Self.window {
      count += 1
    } else {
      since = now
      count = 1
    }
    return count > Self.limit
  }
}

extension Message {
  var isChatter: Bool {
    switch self {
    case .ping, .pong, .warning, .peerStorageRetrieval, .unknown: true
    default: false
    }
  }
}
