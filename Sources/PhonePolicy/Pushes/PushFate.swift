import Ground

/// A push's state, as far as it is known.
public struct PushFate: Hashable, Codable, Sendable, CustomStringConvertible {
  /// For programs: stable when the wording changes.
  public let code: PushFateCode
  public let description: String
  /// The reason or result within the code, for programs.
  public private(set) var detail: String?
  /// How long the phone was off the network after the push came.
  public private(set) var lateMilliseconds: Int64?
  /// The badge and sound of a push without an alert.
  public private(set) var applied: BadgeAndSound?

  private init(_ code: PushFateCode, _ description: String, detail: String? = nil) {
    self.code = code
    self.description = description
    self.detail = detail
  }

  package static let delivered = PushFate(.delivered, "delivered")
  package static func held(_ why: PushHold) -> PushFate { PushFate(.held, "deferred: \(why)") }
  package static func dropped(_ why: PushDrop) -> PushFate {
    PushFate(.dropped, "dropped: \(why)", detail: why.rawValue)
  }
  /// A visible or silent one: the phone was off the network when it came, and has it now.
  package static func late(milliseconds: Int64) -> PushFate {
    let span = milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000) s"
    var fate = PushFate(.late, "delivered \(span) late: the phone was off the network")
    fate.lateMilliseconds = milliseconds
    return fate
  }
  /// Of the waiting silent pushes, and of those for a phone off the network, only the newest is kept.
  package static func replaced(by push: UInt64) -> PushFate {
    PushFate(.replaced, "replaced by push \(push)")
  }
  package static func completed(_ result: SilentPushOutcome) -> PushFate {
    PushFate(.completed, "completed with \(result.rawValue)", detail: result.rawValue)
  }
  package static let expired = PushFate(.expired, "expired: the app did not complete the push in time")
  package static let abandoned = PushFate(
    .abandoned, "abandoned: the app ended before it completed the push")
  /// Gone with an iosd that was killed.
  package static let lost = PushFate(.lost, "lost: gone with an earlier iosd")
  /// A visible one: the app in the foreground got it, and nothing is shown.
  package static let givenToApp = PushFate(.givenToApp, "given to the app in the foreground")
  /// A visible one: no notification of the wallet may be shown now.
  package static func notShown(_ why: PushHide) -> PushFate {
    PushFate(.notShown, "not shown: \(why)", detail: why.rawValue)
  }
  /// A visible one: the extension's content has no text, and its entitlement lets it show nothing.
  package static let filtered = PushFate(.filtered, "not shown: the extension's content is empty")
  /// A visible one: the extension's content was refused, and the original alert was shown.
  package static func contentRefused(_ why: Refusal) -> PushFate {
    PushFate(.contentRefused, "shown with its original alert: \(why)")
  }
  /// One with a badge or a sound and no alert: these were applied.
  package static func applied(_ what: BadgeAndSound) -> PushFate {
    var fate = PushFate(.applied, "no notification: \(what.words)")
    fate.applied = what
    return fate
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
