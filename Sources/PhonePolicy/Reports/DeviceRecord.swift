/// The device's switches, as in os/device.json and in the answer to `device`.
public struct DeviceRecord: Report, Hashable {
  public var locked: Bool
  /// Since the boot; not read from the file, as each start of iosd is a boot.
  public var unlockedBefore: Bool
  public var lowPower: Bool
  public var backgroundRefresh: Bool
  public var notifications: Bool
  public var lockScreen: Bool
  public var centre: Bool
  public var banners: Bool
  public var focus: Bool
  public var battery: Int
  public var charger: Bool
  public var network: Bool
  public var storageFull: Bool
  public var audio: Bool

  public init(_ state: DeviceState) {
    locked = state.isLocked
    unlockedBefore = state.hasBeenUnlocked
    lowPower = state.isInLowPowerMode
    backgroundRefresh = state.allowsBackgroundRefresh
    notifications = state.allowsNotifications
    lockScreen = state.showsOnLockScreen
    centre = state.showsInCentre
    banners = state.showsBanners
    focus = state.hasFocus
    battery = state.batteryPercent
    charger = state.isCharging
    network = state.hasNetwork
    storageFull = state.isStorageFull
    audio = state.playsOtherAudio
  }

  /// Nil if the values are inconsistent.
  public var state: DeviceState? {
    guard (0...100).contains(battery), !(!locked && !unlockedBefore) else { return nil }
    var state = DeviceState()
    state.isLocked = locked
    state.hasBeenUnlocked = unlockedBefore
    state.isInLowPowerMode = lowPower
    state.allowsBackgroundRefresh = backgroundRefresh
    state.allowsNotifications = notifications
    state.showsOnLockScreen = lockScreen
    state.showsInCentre = centre
    state.showsBanners = banners
    state.hasFocus = focus
    state.batteryPercent = battery
    state.isCharging = charger
    state.hasNetwork = network
    state.isStorageFull = storageFull
    state.playsOtherAudio = audio
    return state
  }
}
