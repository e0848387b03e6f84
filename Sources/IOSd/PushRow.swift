import PhonePolicy

extension PushRow {
  /// The push's final fate when its iosd was killed; nil if the fate is already final. A push delivered to the app
  /// ended with the app, and so with iosd.
  func endInAKill(isShown: Bool) -> PushFateCode? {
    if isVisible {
      if isShown { return nil }
      // It was on its way to the phone, or the notification was about to be shown.
      switch fateCode {
      case nil: return .lost
      case .held, .late, .contentRefused: return .lost
      default: return nil
      }
    }
    switch fateCode {
    case nil: return .lost
    case .delivered: return .abandoned
    case .held, .late: return .lost
    default: return nil
    }
  }
}
