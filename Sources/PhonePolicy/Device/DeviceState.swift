/// What is so of the phone itself, and of what the user has switched on or off.
public struct DeviceState: Hashable, Codable, Sendable {
  public var isLocked = false
  /// Since the phone was started. Until then nobody can read what is kept for an unlocked phone.
  public var hasBeenUnlocked = true
  public var isInLowPowerMode = false
  /// Background App Refresh, for this app.
  public var allowsBackgroundRefresh = true
  /// Whether the user lets this app show notifications.
  public var allowsNotifications = true
  public var hasFocus = false
  public var batteryPercent = 100
  public var isCharging = false
  public var hasNetwork = true
  public var isStorageFull = false
  /// Another app plays audio.
  public var playsOtherAudio = false

  public init() {}

  /// The same phone, started again. One that was locked waits for its first unlocking; one that was not is one whose
  /// user unlocked it at once.
  public var afterBoot: DeviceState {
    var state = self
    state.hasBeenUnlocked = !isLocked
    return state
  }

  /// The same phone after a reboot while somebody looked on: it has a code, and nobody has typed it yet.
  public var afterReboot: DeviceState {
    var state = self
    state.isLocked = true
    state.hasBeenUnlocked = false
    state.playsOtherAudio = false
    return state
  }

  public mutating func apply(_ change: DeviceChange) {
    switch change {
    case .locked: isLocked = true
    case .unlocked:
      isLocked = false
      hasBeenUnlocked = true
    case .lowPowerMode(let isOn): isInLowPowerMode = isOn
    case .backgroundRefresh(let isAllowed): allowsBackgroundRefresh = isAllowed
    case .notifications(let areAllowed): allowsNotifications = areAllowed
    case .focus(let isOn): hasFocus = isOn
    case .battery(let percent): batteryPercent = min(max(percent, 0), 100)
    case .charger(let isPlugged): isCharging = isPlugged
    case .network(let isThere): hasNetwork = isThere
    case .storage(let isFull): isStorageFull = isFull
    case .otherAudio(let plays): playsOtherAudio = plays
    }
  }
}
