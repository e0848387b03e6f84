import PhonePolicy
import Reports

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
