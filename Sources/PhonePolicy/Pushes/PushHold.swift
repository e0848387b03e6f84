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
