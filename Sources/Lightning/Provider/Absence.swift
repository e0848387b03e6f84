import Ground

/// The time without a registered connection.
struct Absence: Hashable, Codable, Sendable {
  var since: Instant
  /// The newest push of this absence: nobody has come for it yet.
  var calledAt: Instant?
}
