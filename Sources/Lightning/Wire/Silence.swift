import Ground

/// How long the other end of a connection has said nothing. A network that is gone tells nobody: without this a
/// connection that leads nowhere would be kept for ever.
package struct Silence: Hashable, Codable, Sendable {
  /// The last word of the other end, or the ping that asks it for one.
  package var since: Instant
  var isPinged = false
  /// The end of the wait for an answer was once missed: the answer may have come while this process stood still.
  var wasMissed = false

  /// Nobody whose process runs is so late for it.
  static let slept = TimeSpan.seconds(2)

  package static let reason = "it has said nothing for long, and answered no ping"

  /// Nothing of it is needed: that an answer comes is all.
  package static let ping = Message.ping(Ping(pongSize: 0))

  /// What follows its end, if that came at `end`: another ping; nil when the other end is given up.
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
