import CoreShape

/// One push, and what became of it, as iosd has written it down.
struct PushFacts: Hashable, Sendable {
  var id: UInt64
  var isVisible: Bool
  var at: Instant
  /// The alert that it came with, to wake the app.
  var of: UInt64?
  var fate: String?
  /// Of a silent one, from its arrival at the app.
  var time: SilentPushTime?

  init?(_ row: JSONValue) {
    guard let id = row["id"]?.uint, let isVisible = row["visible"]?.flag, let at = row["at_ns"]?.int else {
      return nil
    }
    self.id = id
    self.isVisible = isVisible
    self.at = Instant(nanoseconds: at)
    of = row["of"]?.uint
    fate = row["fate"]?.text
  }

  var hasReceived: Bool { fate == "completed with new-data" }
}
