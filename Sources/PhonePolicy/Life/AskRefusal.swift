/// Why the app gives no answer.
public enum AskRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case appNotRunning
  case appStarting
  case appSuspended
  case appEnding
  case notInFront
  /// It may have done what it was asked for.
  case appEnded
  case timedOut

  public var description: String {
    switch self {
    case .appNotRunning: "the app is not running, and only the app can do that; open it first"
    case .appStarting: "the app is just starting, and only the app can do that; ask again"
    case .appSuspended: "the app is suspended, and only the app can do that; open it first"
    case .appEnding: "the app is just ending, and only the app can do that; open it again first"
    case .notInFront: "only a user with the app in front does that; open it first"
    case .appEnded:
      "the app ended before it answered, and may have begun; open it, and look with `baton inspect` before you try again"
    case .timedOut:
      "the app did not answer in time, and may still begin; look with `baton inspect` before you try again"
    }
  }
}
