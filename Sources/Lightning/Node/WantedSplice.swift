import Ground
import LightningChannel

/// A user wants money taken out of the channel, and nothing is bound to it yet.
struct WantedSplice: Hashable, Codable, Sendable {
  var request: SpliceRequest
  /// Until then it must have begun.
  var giveUpAt: Instant
  /// It is being agreed on, on this connection.
  var isBegun = false
}

extension WantedSplice: Shiftable {
  mutating func shift(by span: TimeSpan) { giveUpAt.shift(by: span) }
}
