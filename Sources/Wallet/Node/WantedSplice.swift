import Ground
import Lightning

/// A requested splice, until this side is bound to it.
struct WantedSplice: Hashable, Codable, Sendable {
  var request: SpliceRequest
  /// The time limit for its begin.
  var giveUpAt: Instant
  /// The negotiation has begun on this connection.
  var isBegun = false
}

extension WantedSplice: Shiftable {
  mutating func shift(by span: TimeSpan) { giveUpAt.shift(by: span) }
}
