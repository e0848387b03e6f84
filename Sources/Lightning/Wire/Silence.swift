import Ground

/// Detects a dead connection by the silence of the other end: a lost network closes no socket.
package struct Silence: Hashable, Codable, Sendable {
  /// When the last message was received, or our ping sent.
  package var since: Instant
  var isPinged = false
  /// This process was once late for the time limit: the pong may have arrived while it was suspended.
  var wasMissed = false

  /// A process that is later than this for its deadline was suspended.
  static let slept = TimeSpan.seconds(2)

  package static let reason = "no message for too long, and no pong"

  /// The shortest pong is enough.
  package static let ping = Message.ping(Ping(pongSize: 0))

  /// The state after a time limit at `end`, with another ping; nil if the connection is to be closed.
  package func pinged(at now: Instant, due end: Instant) -> Silence? {
    guard isPinged else { return Silence(since: now, isPinged: true) }
    guard !wasMissed, now - end > Self.slept else { return nil }
    return Silence(since: now, isPinged: true, wasMissed: true)
  }
}

extension Silence: Shiftable {
  package init(since: Instant) { self.since = since }

  package mutating func shift(by span: TimeSpan) { since.shift(by: span) }
}
