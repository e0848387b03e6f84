/// A push's state, as far as it is known.
public enum PushFate: Hashable, Codable, Sendable, CustomStringConvertible {
  case delivered
  case held(PushHold)
  case dropped(PushDrop)
  /// A visible or silent one: the phone was off the network when it came, and has it now.
  case late(milliseconds: Int64)
  /// Of the waiting silent pushes, and of those for a phone off the network, only the newest is kept.
  case replaced(by: UInt64)
  case completed(SilentPushResult)
  /// The app did not complete it in time.
  case expired
  /// The app ended before completing it.
  case abandoned
  /// A visible one: the app in the foreground got it, and nothing is shown.
  case givenToApp
  /// A visible one: no notification of the wallet may be shown now.
  case notShown(PushHide)
  /// A visible one: the extension's content has no text, and its entitlement lets it show nothing.
  case filtered
  /// A visible one: the extension's content was refused, and the original alert was shown.
  case contentRefused(NotificationRefusal)
  /// One with a badge or a sound and no alert: these were applied.
  case applied(BadgeAndSound)

  /// For programs: stable when the wording changes.
  public var code: PushFateCode {
    switch self {
    case .delivered: .delivered
    case .held: .held
    case .dropped: .dropped
    case .late: .late
    case .replaced: .replaced
    case .completed: .completed
    case .expired: .expired
    case .abandoned: .abandoned
    case .givenToApp: .givenToApp
    case .notShown: .notShown
    case .filtered: .filtered
    case .contentRefused: .contentRefused
    case .applied: .applied
    }
  }

  /// The reason or result within the code, for programs.
  public var detail: String? {
    switch self {
    case .dropped(let why): why.rawValue
    case .notShown(let why): why.rawValue
    case .completed(let result): result.rawValue
    default: nil
    }
  }

  public var description: String {
    switch self {
    case .delivered: "delivered"
    case .held(let why): "deferred: \(why)"
    case .dropped(let why): "dropped: \(why)"
    case .late(let milliseconds): "delivered \(Self.span(milliseconds)) late: the phone was off the network"
    case .replaced(let push): "replaced by push \(push)"
    case .completed(let result): "completed with \(result.rawValue)"
    case .expired: "expired: the app did not complete the push in time"
    case .abandoned: "abandoned: the app ended before it completed the push"
    case .givenToApp: "given to the app in the foreground"
    case .notShown(let why): "not shown: \(why)"
    case .filtered: "not shown: the extension's content is empty"
    case .contentRefused(let why): "shown with its original alert: \(why)"
    case .applied(let what): "no notification: \(what.words)"
    }
  }

  private static func span(_ milliseconds: Int64) -> String {
    milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000) s"
  }
}

/// A push's state as one stored word.
public enum PushFateCode: String, Hashable, Codable, Sendable, CaseIterable {
  case delivered
  case held
  case dropped
  case late
  case replaced
  case completed
  case expired
  case abandoned
  case givenToApp = "given-to-app"
  case notShown = "not-shown"
  case filtered
  case contentRefused = "content-refused"
  case applied
  /// Lost with an iosd that was killed.
  case lost

  /// For a silent push, the code is final.
  public var isEnd: Bool {
    switch self {
    case .dropped, .replaced, .completed, .expired, .abandoned, .lost: true
    case .delivered, .held, .late, .givenToApp, .notShown, .filtered, .contentRefused, .applied: false
    }
  }
}

/// Why a push with an alert is not shown.
public enum PushHide: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case notAllowed = "not-allowed"
  /// Lock screen, Notification Centre and banners are all off.
  case nowhere
  /// Banners appear on an unlocked screen only.
  case bannersOnly = "banners-only"

  public var description: String {
    switch self {
    case .notAllowed: "the user does not allow the wallet's notifications"
    case .nowhere: "lock screen, Notification Centre and banners are off for the wallet"
    case .bannersOnly: "the phone is locked, and lock screen and Notification Centre are off for the wallet"
    }
  }
}
