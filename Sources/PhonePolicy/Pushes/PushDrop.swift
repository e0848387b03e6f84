/// Why a push is dropped.
public enum PushDrop: String, Hashable, Codable, Sendable, CustomStringConvertible {
  case lowPowerMode = "low-power-mode"
  case backgroundRefreshOff = "background-refresh-off"
  case swipedAway = "swiped-away"
  case chance
  case goingDown = "going-down"
  case launchFailed = "launch-failed"
  case reboot

  public var description: String {
    switch self {
    case .lowPowerMode: "Low Power Mode is on"
    case .backgroundRefreshOff: "Background App Refresh is off"
    case .swipedAway: "the user swiped the app away and has not opened it since"
    case .chance: "lost at random"
    case .goingDown: "the phone powers off"
    case .launchFailed: "the app could not be started"
    case .reboot: "the phone rebooted before the push was handled"
    }
  }
}
