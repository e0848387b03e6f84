import Ground

/// Counts messages that nobody needs, or not so many of: pings, pongs, warnings, aborts, copies of the backup, and types
/// that are not known. Of gossip an honest peer has more to say, as much as it has channels.
///
/// BOLT 1 expects a ping every half minute or so. Each one costs a line of the journal and an answer of up to 64 KiB;
/// who sends them without end wants to use up our disk and our time.
struct Chatter: Hashable, Codable, Sendable {
  static let window = TimeSpan.seconds(10)

  static func complaint(_ limit: Int) -> String { "more than \(limit) messages in 10 s that need nothing" }

  var since: Instant?
  var count = 0

  /// Of gossip: announcements and updates of all channels of a large node come at once.
  static let gossipLimit = 2000

  /// Counts one more; true when it is one too many.
  mutating func isTooMuch(_ limit: Int, at now: Instant) -> Bool {
    if let since, now - since < Self.window {
      count += 1
    } else {
      since = now
      count = 1
    }
    return count > limit
  }
}

extension Message {
  var isChatter: Bool {
    switch self {
    case .ping, .pong, .warning, .peerStorageRetrieval, .transactionAbort, .fenceAnswer: true
    case .unknown(let type, _): !Gossip.types.contains(type) || Gossip.isQuestion(type)
    default: false
    }
  }
}
