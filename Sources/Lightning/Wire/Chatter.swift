import Ground

/// A limit on an amount in a window of time.
package struct RateLimit: Hashable, Codable, Sendable {
  private let window: TimeSpan
  private var since: Instant?
  private var used = 0

  package init(per window: TimeSpan) { self.window = window }

  /// Uses up the amount; false if less is left.
  package mutating func takes(_ amount: Int = 1, of limit: Int, at now: Instant) -> Bool {
    forgetLongAgo(at: now)
    since = since ?? now
    guard amount <= limit - used else { return false }
    used += amount
    return true
  }

  package func isUsedUp(_ limit: Int, at now: Instant) -> Bool {
    since.map { now - $0 < window } == true && used >= limit
  }
}

extension RateLimit: Shiftable {
  package mutating func shift(by span: TimeSpan) { since.shift(by: span) }

  /// Drops a count that is too old to matter.
  package mutating func forgetLongAgo(at now: Instant) {
    if let since, now - since >= window { self = RateLimit(per: window) }
  }
}

/// Ignorable messages: pings, pongs, warnings, aborts, copies of the backup, push keys, requests to the LSP, and unknown
/// types. Gossip and ends of holds have a higher limit, as an honest peer sends as much as it has channels and payments.
///
/// BOLT 1 expects a ping about every 30 s. Each one costs a line of the journal and an answer of up to 64 KiB, so a
/// flood of them would use up disk and time.
package enum Chatter {
  package static let window = TimeSpan.seconds(10)
  /// For gossip: a large node sends the announcements and updates of all its channels at once.
  package static let gossipLimit = 2000

  package static func excess(_ limit: Int) -> String { "more than \(limit) ignorable messages in 10 s" }
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

/// BOLT 7 gossip. It is not needed here, as all payments go through one peer; but peers send it unasked, and a node
/// with `gossip_queries` must answer queries.
enum Gossip {
  /// `channel_announcement` to `gossip_timestamp_filter`.
  static let types: ClosedRange<UInt16> = 256...265

  private static let queryShortChannelIDs: UInt16 = 261
  private static let replyShortChannelIDsEnd: UInt16 = 262
  private static let queryChannelRange: UInt16 = 263
  private static let replyChannelRange: UInt16 = 264

  static func isQuestion(_ type: UInt16) -> Bool { type == queryShortChannelIDs || type == queryChannelRange }

  /// The answer without information; nil for a message that is no query, or a truncated one.
  static func answer(to type: UInt16, _ question: Bytes) -> Message? {
    let reader = question.array
    switch type {
    case queryShortChannelIDs where reader.count >= 32:
      // The chain of the query, and `full_information` 0.
      return .unknown(type: replyShortChannelIDsEnd, bytes: Bytes(reader[..<32] + [0]))
    case queryChannelRange where reader.count >= 40:
      // The chain and the blocks of the query, `sync_complete` 0, and an empty uncompressed list.
      return .unknown(type: replyChannelRange, bytes: Bytes(reader[..<40] + [0, 0, 1, 0]))
    default: return nil
    }
  }
}

extension Message {
  /// An announcement, an update, a filter, or a query.
  public var isGossip: Bool {
    if case .unknown(let type, _) = self { Gossip.types.contains(type) } else { false }
  }

  /// Gossip, and the ends of holds: an honest peer sends many of them at once.
  package var isNumerous: Bool {
    if case .holdEnded = self { true } else { isGossip }
  }

  /// The answer to a query.
  package var gossipAnswer: Message? {
    guard case .unknown(let type, let bytes) = self else { return nil }
    return Gossip.answer(to: type, bytes)
  }
}
