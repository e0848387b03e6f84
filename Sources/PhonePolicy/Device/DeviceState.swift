/// The device's state and the user's switches, as in os/device.json and in the answer to `device`.
public struct DeviceState: Report, Hashable {
  public var isLocked = false
  /// Since the boot, and each start of iosd is one. Before that, no keychain item can be read.
  public var hasBeenUnlocked = true
  public var isInLowPowerMode = false
  /// Background App Refresh, for this app.
  public var allowsBackgroundRefresh = true
  /// Whether the user allows this app's notifications.
  public var allowsNotifications = true
  /// Where this app's alerts may appear: on the lock screen, in the Notification Centre, as banners.
  public var showsOnLockScreen = true
  public var showsInCentre = true
  public var showsBanners = true
  public var hasFocus = false
  public var batteryPercent = 100
  public var isCharging = false
  public var hasNetwork = true
  public var isStorageFull = false
  /// Another app plays audio.
  public var playsOtherAudio = false

  enum CodingKeys: String, CodingKey {
    case isLocked = "locked"
    case hasBeenUnlocked = "unlockedBefore"
    case isInLowPowerMode = "lowPower"
    case allowsBackgroundRefresh = "backgroundRefresh"
    case allowsNotifications = "notifications"
    case showsOnLockScreen = "lockScreen"
    case showsInCentre = "centre"
    case showsBanners = "banners"
    case hasFocus = "focus"
    case batteryPercent = "battery"
    case isCharging = "charger"
    case hasNetwork = "network"
    case isStorageFull = "storageFull"
    case playsOtherAudio = "audio"
  }

  public init() {}

  /// A file may say what no phone can be.
  public var isPossible: Bool { (0...100).contains(batteryPercent) && (isLocked || hasBeenUnlocked) }

  /// The state after iosd was started again. A locked phone waits for its first unlock; an unlocked one counts as
  /// unlocked right after the boot.
  public var afterBoot: DeviceState {
    var state = self
    state.hasBeenUnlocked = !isLocked
    return state
  }

  /// The state after a reboot: locked until the user enters the passcode.
  public var afterReboot: DeviceState {
    var state = self
    state.isLocked = true
    state.hasBeenUnlocked = false
    state.playsOtherAudio = false
    return state
  }

  /// Why an alert of this app is shown nowhere; nil if it is shown.
  public var hidesAlerts: PushHide? {
    if !allowsNotifications { return .notAllowed }
    if showsOnLockScreen || showsInCentre { return nil }
    if !showsBanners { return .nowhere }
    return isLocked ? .bannersOnly : nil
  }

  /// Whether an alert appears at once: on the lock screen, or as a banner.
  var showsAlertsOnScreen: Bool { isLocked ? showsOnLockScreen : showsBanners }

  public mutating func apply(_ change: DeviceChange) {
    switch change {
    case .locked: isLocked = true
    case .unlocked:
      isLocked = false
      hasBeenUnlocked = true
    case .lowPowerMode(let isOn): isInLowPowerMode = isOn
    case .backgroundRefresh(let isAllowed): allowsBackgroundRefresh = isAllowed
    case .notifications(let areAllowed): allowsNotifications = areAllowed
    case .lockScreen(let isOn): showsOnLockScreen = isOn
    case .centre(let isOn): showsInCentre = isOn
    case .banners(let isOn): showsBanners = isOn
    case .focus(let isOn): hasFocus = isOn
    case .battery(let percent): batteryPercent = min(max(percent, 0), 100)
    case .charger(let isPlugged): isCharging = isPlugged
    case .network(let isThere): hasNetwork = isThere
    case .storage(let isFull): isStorageFull = isFull
    case .otherAudio(let plays): playsOtherAudio = plays
    }
  }
}
