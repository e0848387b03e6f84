import CoreShape

/// One push, and what became of it, as iosd has written it down.
struct PushFacts: Hashable, Sendable {
  var id: UInt64
  var isVisible: Bool
  var at: Instant
  /// When it came by the clock on the phone's wall: the other begins anew with each boot.
  var wallNanoseconds: Int64
  /// The alert that it came with, to wake the app.
  var of: UInt64?
  var fate: String?
  /// Of a silent one, from its arrival at the app.
  var time: SilentPushTime?

  init?(_ row: JSONValue) {
    guard let id = row["id"]?.uint, let isVisible = row["visible"]?.flag, let at = row["at_ns"]?.int,
      let wall = row["wall_ns"]?.int
    else {
      return nil
    }
    self.id = id
    self.isVisible = isVisible
    self.at = Instant(nanoseconds: at)
    wallNanoseconds = wall
    of = row["of"]?.uint
    fate = row["fate"]?.text
  }

  var hasReceived: Bool { fate == "completed with new-data" }

  /// The app was woken by it for a payment and is done with it, without the payment.
  var isLeftToVisible: Bool {
    guard time?.isWakingForPayment == true, let fate, !hasReceived else { return false }
    return ["completed with ", "expired: ", "abandoned: "].contains { fate.hasPrefix($0) }
  }
}
