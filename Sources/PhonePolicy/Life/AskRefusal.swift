/// Why a request to the app has no answer.
public enum AskRefusal: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case appNotRunning
  case appStarting
  case appSuspended
  case appEnding
  case notInFront
  /// It may have carried out the request.
  case appEnded
  case timedOut

  /// The app had the request, and may carry it out.
  public var leavesOutcomeUnknown: Bool { self == .appEnded || self == .timedOut }

  public var description: String {
    switch self {
    case .appNotRunning: "the app is not running, and only the app can do that; open it first"
    case .appStarting: "the app is still starting, and only the app can do that; try again"
    case .appSuspended: "the app is suspended, and only the app can do that; open it first"
    case .appEnding: "the app is terminating, and only the app can do that; open it again first"
    case .notInFront: "this needs the app in the foreground; open it first"
    case .appEnded:
      "the outcome is unknown: the app ended before it answered, and may have begun the request; open it, and look at `baton list payments` before you try again"
    case .timedOut:
      "the outcome is unknown: the app did not answer in time, and may still begin the request; look at `baton list payments` before you try again"
    }
  }
}
