/// Why a silent push waits.
public enum PushHold: Hashable, Codable, Sendable, CustomStringConvertible {
  case budgetUsed(perWindow: Int)
  /// The budget is used and was reduced because the app had not completed a push.
  case throttled(perWindow: Int)
  case lowPowerMode
  case delayed
  case appIsEnding

  public var description: String {
    switch self {
    case .budgetUsed(let count): "the budget of \(count) an hour is used up"
    case .throttled(let count): "throttled to \(count) an hour, as the app did not complete an earlier push"
    case .lowPowerMode: "Low Power Mode is on"
    case .delayed: "delayed at random"
    case .appIsEnding: "the app is terminating"
    }
  }
}
