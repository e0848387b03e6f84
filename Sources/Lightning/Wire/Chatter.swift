import Ground

/// Counts ignorable messages: pings, pongs, warnings, aborts, copies of the backup, push keys, requests to
/// the LSP, and unknown types.
/// Gossip and ends of holds have a higher limit, as an honest peer sends as much as it has channels and payments.
///
/// BOLT 1 expects a ping about every 30 s. Each one costs a line of the journal and an answer of up to 64 KiB, so a
/// flood of them would use up disk and time.
package struct Chatter: Hashable, Codable, Sendable {
  private static let window = TimeSpan.seconds(10)

  package static func excess(_ limit: Int) -> String {
    "more than \(limit) ignorable messages in 10 s"
  }

  private var since: Instant?
  private var count = 0

  package init() {}

  /// For gossip: a large node sends the announcements and updates of all its channels at once.
  package static let gossipLimit = 2000

  /// Counts one message; true above the limit.
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

  /// Drops a count that is too old to matter.
  package mutating func forgetLongAgo(at now: Instant) {
    if let since, now - since >= Self.window { self = Chatter() }
  }
}

extension Message {
  package var isChatter: Bool {
    switch self {
    case .ping, .pong, .warning, .peerStorageRetrieval, .transactionAbort, .fenceAnswer, .pushKey, .service:
      true
    case .unknown(let type, _): !Gossip.types.contains(type) || Gossip.isQuestion(type)
    default: false
    }
  }
}
