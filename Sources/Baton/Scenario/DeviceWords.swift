import PhonePolicy

/// The device's switches in the words of a story.
enum DeviceWords {
  /// The switches that differ from a new phone.
  static func of(_ device: DeviceState) -> [String] {
    var words: [String] = []
    if device.isLocked {
      words.append(
        device.hasBeenUnlocked
          ? "the phone is locked" : "the phone is locked, and was not unlocked since it was started")
    }
    if device.isInLowPowerMode { words.append("Low Power Mode is on") }
    if !device.allowsBackgroundRefresh { words.append("Background App Refresh is off") }
    if !device.allowsNotifications { words.append("the wallet may show no notifications") }
    if !device.showsOnLockScreen { words.append("alerts on the lock screen are off") }
    if !device.showsInCentre { words.append("alerts in the Notification Centre are off") }
    if !device.showsBanners { words.append("banners are off") }
    if device.hasFocus { words.append("a Focus is on") }
    if device.batteryPercent < 100 { words.append("the battery is at \(device.batteryPercent) percent") }
    if device.isCharging { words.append("the charger is plugged in") }
    if !device.hasNetwork { words.append("the network is gone") }
    if device.isStorageFull { words.append("the storage is full") }
    if device.playsOtherAudio { words.append("another app plays audio") }
    return words.isEmpty ? ["the phone is as ever"] : words
  }
}
