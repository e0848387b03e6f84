/// Why a push waits.
public enum PushHold: Hashable, Codable, Sendable, CustomStringConvertible {
  case budgetUsed(perWindow: Int)
  /// The budget is used and was reduced because the app had not completed a push.
  case throttled(perWindow: Int)
  case lowPowerMode
  case delayed
  case appIsEnding
  /// Any push: APNs cannot reach the phone.
  case noNetwork
  /// Any push: the phone reboots.
  case phoneIsOff

  public var description: String {
    switch self {
    case .budgetUsed(let count): "the budget of silent pushes (\(count) an hour) is used up"
    case .throttled(let count):
      "silent pushes are throttled to \(count) an hour, as the app did not complete an earlier one"
    case .lowPowerMode: "Low Power Mode is on"
    case .delayed: "delayed at random"
    case .appIsEnding: "the app is terminating"
    case .noNetwork: "the phone is off the network"
    case .phoneIsOff: "the phone is off"
    }
  }
}
