import Ground

/// Counts messages that nobody needs, or not so many of: pings, pongs, warnings, aborts, copies of the backup, and types
/// that are not known. Of gossip an honest peer has more to say, as much as it has channels.
///
/// BOLT 1 expects a ping every half minute or so. Each one costs a line of the journal and an answer of up to 64 KiB;
/// who sends them without end wants to use up our disk and our time.
package struct Chatter: Hashable, Codable, Sendable {
  private static let window = TimeSpan.seconds(10)

  package static func excess(_ limit: Int) -> String {
    "more than \(limit) messages in 10 s that need nothing"
  }

  private var since: Instant?
  private var count = 0

  package init() {}

  /// Of gossip: announcements and updates of all channels of a large node come at once.
  package static let gossipLimit = 2000

  /// Counts one more; true when it is one too many.
  package mutating func isTooMuch(_ limit: Int, at now: Instant) -> Bool {
    if let since, now - since < Self.window {
      count += 1
    } else {
      since = now
      count = 1
    }
    return count > limit
  }
}

extension Chatter: Shiftable {
  package mutating func shift(by span: TimeSpan) { since.shift(by: span) }

  /// What lies so far back that it makes no difference any more.
  package mutating func forgetLongAgo(at now: Instant) {
    if let since, now - since >= Self.window { self = Chatter() }
  }
}

extension Message {
  package var isChatter: Bool {
    switch self {
    case .ping, .pong, .warning, .peerStorageRetrieval, .transactionAbort, .fenceAnswer: true
    case .unknown(let type, _): !Gossip.types.contains(type) || Gossip.isQuestion(type)
    default: false
    }
  }
}
