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
  /// A visible one: the person lets the wallet show nothing.
  case notShown
  /// A visible one: what the extension made of it is not allowed, and the alert was shown as it was sent.
  case contentRefused(NotificationRefusal)

  public var description: String {
    switch self {
    case .delivered: "delivered"
    case .held(let why): "held back: \(why)"
    case .dropped(let why): "dropped: \(why)"
    case .replaced(let push): "replaced by push \(push)"
    case .completed(let result): "completed with \(result.rawValue)"
    case .expired: "expired: the app did not complete it in time"
    case .abandoned: "abandoned: the app ended before it had completed it"
    case .notShown: "not shown: the person lets the wallet show no notifications"
    case .contentRefused(let why): "shown as it was sent: \(why)"
    }
  }
}

/// Why a silent push waits.
public enum PushHold: Hashable, Codable, Sendable, CustomStringConvertible {
  case budgetUsed(perWindow: Int)
  /// The same, and the budget is smaller than it was, as the app misbehaved.
  case throttled(perWindow: Int)
  case lowPowerMode
  case delayed
  case appIsEnding

  public var description: String {
    switch self {
    case .budgetUsed(let count): "the budget of \(count) an hour is used up"
    case .throttled(let count): "throttled to \(count) an hour, as the app did not complete an earlier one"
    case .lowPowerMode: "Low Power Mode is on"
    case .delayed: "it comes later, by chance"
    case .appIsEnding: "the app is on its way out"
    }
  }
}

/// Why a silent push never arrives.
public enum PushDrop: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case lowPowerMode
  case backgroundRefreshOff
  case swipedAway
  case chance
  case goingDown
  case launchFailed

  public var description: String {
    switch self {
    case .lowPowerMode: "Low Power Mode is on"
    case .backgroundRefreshOff: "Background App Refresh is off"
    case .swipedAway: "the person swiped the app away and has not opened it since"
    case .chance: "lost on its way, by chance"
    case .goingDown: "the phone goes down"
    case .launchFailed: "the app could not be started"
    }
  }
}

/// What the app says of a silent push when it is done with it: `UIBackgroundFetchResult`.
public enum SilentPushResult: String, Hashable, Codable, Sendable, CaseIterable {
  case newData = "new-data"
  case noData = "no-data"
  case failed
}
