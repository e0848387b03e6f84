import DaemonRuntime
import PhonePolicy

/// The phone's settings, as iosd reports them.
extension DeviceState {
  func tell(_ output: Output) { output.isJSON ? output.say(self) : output.facts(rows) }

  private var rows: [(String, String)] {
    let lock =
      !isLocked ? "unlocked" : hasBeenUnlocked ? "locked" : "locked, not yet unlocked since boot"
    func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return [
      ("screen", lock),
      ("low-power", word(isInLowPowerMode)),
      ("background-refresh", word(allowsBackgroundRefresh)),
      ("notifications", allowsNotifications ? "allowed" : "not allowed"),
      ("lock-screen", word(showsOnLockScreen)),
      ("centre", word(showsInCentre)),
      ("banners", word(showsBanners)),
      ("focus", word(hasFocus)),
      ("battery", "\(batteryPercent) %\(isCharging ? ", charging" : "")"),
      ("network", word(hasNetwork)),
      ("storage", isStorageFull ? "full" : "free"),
      ("audio", playsOtherAudio ? "another app plays" : "no other app plays"),
    ]
  }
}
