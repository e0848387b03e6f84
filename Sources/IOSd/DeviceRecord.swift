import PhonePolicy

/// The phone's own switches, as they stand in os/device.json and in the answer to `device`.
struct DeviceRecord: Codable, Hashable {
  var locked: Bool
  /// Since the start; not read from the file, as a start ends it.
  var unlockedBefore: Bool
  var lowPower: Bool
  var backgroundRefresh: Bool
  var notifications: Bool
  var focus: Bool
  var battery: Int
  var charger: Bool
  var network: Bool
  var storageFull: Bool
  var audio: Bool

  enum CodingKeys: String, CodingKey {
    case locked
    case unlockedBefore = "unlocked_before"
    case lowPower = "low_power"
    case backgroundRefresh = "background_refresh"
    case notifications, focus, battery, charger, network
    case storageFull = "storage_full"
    case audio
  }

  init(_ state: DeviceState) {
    locked = state.isLocked
    unlockedBefore = state.hasBeenUnlocked
    lowPower = state.isInLowPowerMode
    backgroundRefresh = state.allowsBackgroundRefresh
    notifications = state.allowsNotifications
    focus = state.hasFocus
    battery = state.batteryPercent
    charger = state.isCharging
    network = state.hasNetwork
    storageFull = state.isStorageFull
    audio = state.playsOtherAudio
  }

  /// Nil if no phone can be so.
  var state: DeviceState? {
    guard (0...100).contains(battery), !(!locked && !unlockedBefore) else { return nil }
    var state = DeviceState()
    state.isLocked = locked
    state.hasBeenUnlocked = unlockedBefore
    state.isInLowPowerMode = lowPower
    state.allowsBackgroundRefresh = backgroundRefresh
    state.allowsNotifications = notifications
    state.hasFocus = focus
    state.batteryPercent = battery
    state.isCharging = charger
    state.hasNetwork = network
    state.isStorageFull = storageFull
    state.playsOtherAudio = audio
    return state
  }
}
