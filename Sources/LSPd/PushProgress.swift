/// The outcome of a requested push, in its row.
enum PushProgress: String, CaseIterable {
  case asked = "asked"
  /// Accepted by iosd.
  case delivered = "delivered"
  case notNeeded = "not-needed"
  /// An equal push is open.
  case merged = "merged"
  case iosdAway = "iosd-away"
  case refused = "refused"
  /// iosd disconnected, or did not answer in time.
  case unanswered = "unanswered"
  /// No phone is registered for the wallet.
  case noPhone = "no-phone"

  var isOpen: Bool { self == .asked || (isAttempt && self != .delivered) }
  var isAttempt: Bool { [.delivered, .iosdAway, .refused, .unanswered].contains(self) }
}
