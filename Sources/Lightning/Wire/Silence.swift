import CoreShape

/// How long the other end of a connection has said nothing. A network that is gone tells nobody: without this a
/// connection that leads nowhere would be kept for ever.
struct Silence: Hashable, Codable, Sendable {
  /// The last word of the other end, or the ping that asks it for one.
  var since: Instant
  var isPinged = false

  static let reason = "it has said nothing for long, and answered no ping"

  /// Nothing of it is needed: that an answer comes is all.
  static let ping = Message.ping(Ping(pongSize: 0))
}

extension Silence: Shiftable {
  mutating func shift(by span: Span) { since.shift(by: span) }
}
