import Ground

/// Why a task that waits does not run yet.
public enum TaskHindrance: Hashable, Codable, Sendable, CustomStringConvertible {
  case tooEarly
  /// The phone's own choice: the time had come and nothing was in the way.
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
    case .tooEarly: "its time has not come"
    case .deferred: "the phone has put it off"
    case .neverOpened: "the app has not been opened since the phone was started"
    case .swipedAway: "the user swiped the app away and has not opened it since"
    case .refreshOff: "background app refresh is off"
    case .lowPower: "low power mode is on"
    case .appInFront: "the app is in front"
    case .appEnding: "the app is on its way out"
    case .anotherRuns: "another of its kind runs"
    case .inUse: "the phone is in use; it waits for the lock screen"
    case .noCharger: "it needs the charger"
    case .batteryLow(let percent): "the battery is at \(percent) %"
    case .noNetwork: "it needs the network"
    }
  }
}
