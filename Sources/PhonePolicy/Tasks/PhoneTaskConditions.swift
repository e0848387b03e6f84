// What background tasks and audio see of the device.
extension Phone {
  var taskConditions: TaskConditions {
    TaskConditions(
      isIdle: device.isLocked, isCharging: device.isCharging, batteryPercent: device.batteryPercent,
      hasNetwork: device.hasNetwork, isLowPower: device.isInLowPowerMode,
      isRefreshAllowed: device.allowsBackgroundRefresh)
  }

  var isOtherAudioPlaying: Bool { device.playsOtherAudio }
}
