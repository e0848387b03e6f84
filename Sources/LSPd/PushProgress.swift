/// What became of a push that was asked for, as its row says it.
enum PushProgress: String, CaseIterable {
  case asked = "asked"
  /// Taken by iosd.
  case delivered = "delivered"
  case notNeeded = "not-needed"
  /// One like it is on its way.
  case merged = "merged"
  case iosdAway = "iosd-away"
  case refused = "refused"
  /// iosd hung up, or said nothing in time.
  case unanswered = "unanswered"

  var isOpen: Bool { self == .asked || (isAttempt && self != .delivered) }
  var isAttempt: Bool { [.delivered, .iosdAway, .refused, .unanswered].contains(self) }
}
