import PhonePolicy

/// One push, as it stands in os/pushes.jsonl; its number goes on over restarts, so that a number names one push of
/// the phone's whole life.
struct PushRow: Codable, Hashable, NumberedRow {
  var id: UInt64
  /// The alert that this one came with, to wake the app.
  var of: UInt64?
  var isVisible: Bool
  var hasMutableContent: Bool
  /// It came with a badge or a sound and without an alert; else the member is not there.
  var isBadgeOrSound: Bool?
  var wall: Int64
  var at: Int64
  /// What became of it, as far as there is anything to say, and since when.
  var fate: String?
  /// The same for programs.
  var fateCode: PushFateCode?
  /// `PushFate.detail`.
  var fateDetail: String?
  /// What was done of a badge or a sound without an alert.
  var appliedBadge: Int?
  var appliedSound: String?
  var fateWall: Int64?
  var fateAt: Int64?

  var isSilent: Bool { !isVisible && isBadgeOrSound != true }

  enum CodingKeys: String, CodingKey {
    case id, of, fate
    case isVisible = "visible"
    case hasMutableContent = "mutable_content"
    case isBadgeOrSound = "badge_or_sound"
    case fateCode = "fate_code"
    case fateDetail = "fate_detail"
    case appliedBadge = "applied_badge"
    case appliedSound = "applied_sound"
    case wall = "wall_ns"
    case at = "at_ns"
    case fateWall = "fate_wall_ns"
    case fateAt = "fate_at_ns"
  }
}

extension PushRow {
  /// What came of it by the end of an iosd that was killed; nil when that is known. The app had the one that it was
  /// handed, and ended with its iosd.
  func endInAKill(isShown: Bool) -> PushFateCode? {
    if isVisible {
      if isShown { return nil }
      // It was about to be shown.
      return fate == nil || fateCode == .contentRefused ? .lost : nil
    }
    switch fateCode {
    case nil: return fate == nil ? .lost : nil
    case .delivered: return .abandoned
    case .held: return .lost
    default: return nil
    }
  }

  /// A row of an earlier phone, which told its fate to people alone, and to programs not which one of its kind.
  func migrated() -> PushRow {
    guard let fate, fateDetail == nil else { return self }
    var row = self
    let completed = SilentPushResult.allCases.first { fate == "\(PushFate.completed($0))" }
    if let completed { (row.fateCode, row.fateDetail) = (.completed, completed.rawValue) }
    if row.fateCode == nil { row.fateCode = Self.olderWords.first { fate.hasPrefix($0.words) }?.code }
    return row
  }

  private static let olderWords: [(words: String, code: PushFateCode)] = [
    ("delivered", .delivered), ("held back: ", .held), ("dropped: ", .dropped), ("replaced by ", .replaced),
    ("expired: ", .expired), ("abandoned: ", .abandoned), ("given to the app", .givenToApp),
    ("not shown: ", .notShown), ("shown as it was sent: ", .contentRefused),
    ("no notification: ", .applied), ("lost: ", .lost),
  ]
}
