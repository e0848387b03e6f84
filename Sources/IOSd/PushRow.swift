import PhonePolicy
import Reports

extension PushRow {
  /// The push's final fate when its iosd was killed; nil if the fate is already final. A push delivered to the app
  /// ended with the app, and so with iosd.
  func endInAKill(isShown: Bool) -> PushFateCode? {
    if isVisible {
      if isShown { return nil }
      // It was on its way to the phone, or the notification was about to be shown.
      switch fateCode {
      case nil: return fate == nil ? .lost : nil
      case .held, .late, .contentRefused: return .lost
      default: return nil
      }
    }
    switch fateCode {
    case nil: return fate == nil ? .lost : nil
    case .delivered: return .abandoned
    case .held, .late: return .lost
    default: return nil
    }
  }

  /// Fills in code and detail in a row of an earlier version, which stored the fate as text only.
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
