/// What became of a push, as far as it is known.
public enum PushFate: Hashable, Codable, Sendable, CustomStringConvertible {
  case delivered
  case held(PushHold)
  case dropped(PushDrop)
  /// Only the newest of those that wait is kept.
  case replaced(by: UInt64)
  case completed(SilentPushResult)
  /// The app did not say in time that it is done.
  case expired
  /// The app ended before it had said so.
  case abandoned
  /// A visible one: the app in front got it, and nothing is shown.
  case givenToApp
  /// A visible one: the user lets the wallet show nothing.
  case notShown
  /// A visible one: what the extension made of it is not allowed, and the alert was shown as it was sent.
  case contentRefused(NotificationRefusal)
  /// One with a badge or a sound and no alert: that much of it was done.
  case applied(BadgeAndSound)

  /// For programs; it stays the same when the words change.
  public var code: PushFateCode {
    switch self {
    case .delivered: .delivered
    case .held: .held
    case .dropped: .dropped
    case .replaced: .replaced
    case .completed: .completed
    case .expired: .expired
    case .abandoned: .abandoned
    case .givenToApp: .givenToApp
    case .notShown: .notShown
    case .contentRefused: .contentRefused
    case .applied: .applied
    }
  }

  /// Which one of its kind, for programs.
  public var detail: String? {
    switch self {
    case .dropped(let why): why.rawValue
    case .completed(let result): result.rawValue
    default: nil
    }
  }

  public var description: String {
    switch self {
    case .delivered: "delivered"
    case .held(let why): "held back: \(why)"
    case .dropped(let why): "dropped: \(why)"
    case .replaced(let push): "replaced by push \(push)"
    case .completed(let result): "completed with \(result.rawValue)"
    case .expired: "expired: the app did not complete it in time"
    case .abandoned: "abandoned: the app ended before it had completed it"
    case .givenToApp: "given to the app in front"
    case .notShown: "not shown: the user lets the wallet show no notifications"
    case .contentRefused(let why): "shown as it was sent: \(why)"
    case .applied(let what): "no notification: \(what.words)"
    }
  }
}

/// What became of a push, in one word that is written down.
public enum PushFateCode: String, Hashable, Codable, Sendable, CaseIterable {
  case delivered
  case held
  case dropped
  case replaced
  case completed
  case expired
  case abandoned
  case givenToApp = "given-to-app"
  case notShown = "not-shown"
  case contentRefused = "content-refused"
  case applied
  /// Gone with a phone that was killed.
  case lost

  /// Nothing more comes of a silent one.
  public var isEnd: Bool {
    switch self {
    case .dropped, .replaced, .completed, .expired, .abandoned, .lost: true
    case .delivered, .held, .givenToApp, .notShown, .contentRefused, .applied: false
    }
  }
}
