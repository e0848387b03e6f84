import PhonePolicy

/// One push, as it stands in os/pushes.jsonl; its number goes on over restarts, so that a number names one push of
/// the phone's whole life.
struct PushRow: Codable, Hashable, NumberedRow {
  var id: UInt64
  /// The alert that this one came with, to wake the app.
  var of: UInt64?
  var isVisible: Bool
  var hasMutableContent: Bool
  var wall: Int64
  var at: Int64
  /// What became of it, as far as there is anything to say, and since when.
  var fate: String?
  var fateWall: Int64?
  var fateAt: Int64?

  enum CodingKeys: String, CodingKey {
    case id, of, fate
    case isVisible = "visible"
    case hasMutableContent = "mutable_content"
    case wall = "wall_ns"
    case at = "at_ns"
    case fateWall = "fate_wall_ns"
    case fateAt = "fate_at_ns"
  }
}

extension PushRow {
  static let lost = "lost: gone with an earlier iosd"

  /// What came of it by the end of an iosd that was killed; nil when that is known. The app had the one that it was
  /// handed, and ended with its iosd.
  func endInAKill(isShown: Bool) -> String? {
    guard isVisible else {
      switch fate {
      case nil: return Self.lost
      case PushFate.delivered.description?: return PushFate.abandoned.description
      case let fate?: return fate.hasPrefix("held back: ") ? Self.lost : nil
      }
    }
    guard !isShown, let fate else { return isShown ? nil : Self.lost }
    // It was about to be shown.
    return fate.hasPrefix("shown as it was sent: ") ? Self.lost : nil
  }
}
