import Ground

/// Why a pending task does not run yet.
public enum TaskHindrance: Hashable, Codable, Sendable, CustomStringConvertible {
  case tooEarly
  /// Deferred by the scheduler although all conditions were met.
  case deferred
  case neverOpened
  case swipedAway
  case refreshOff
  case lowPower
  case appInFront
  case appEnding
  case anotherRuns
  case inUse
  case noCharger
  case batteryLow(percent: Int)
  case noNetwork

  public var description: String {
    switch self {
    case .tooEarly: "the task's earliest begin is not reached"
    case .deferred: "the scheduler has deferred the task"
    case .neverOpened: "the app has not been opened since the phone was started"
    case .swipedAway: "the user swiped the app away and has not opened it since"
    case .refreshOff: "background app refresh is off"
    case .lowPower: "low power mode is on"
    case .appInFront: "the app is in front"
    case .appEnding: "the app is terminating"
    case .anotherRuns: "another task of its kind is running"
    case .inUse: "the phone is in use; the task waits until the screen is locked"
    case .noCharger: "the task needs the charger"
    case .batteryLow(let percent): "the battery is at \(percent) %"
    case .noNetwork: "the task needs the network"
    }
  }
}
