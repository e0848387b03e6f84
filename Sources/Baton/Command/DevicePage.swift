import DaemonRuntime
import PhonePolicy

/// The phone's settings, as iosd reports them.
struct DevicePage {
  let state: DeviceState

  func tell(_ output: Output) { output.isJSON ? output.say(state) : output.facts(rows) }

  private var rows: [(String, String)] {
    let lock =
      !state.isLocked ? "unlocked" : state.hasBeenUnlocked ? "locked" : "locked, not yet unlocked since boot"
    func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return [
      ("screen", lock),
      ("low-power", word(state.isInLowPowerMode)),
      ("background-refresh", word(state.allowsBackgroundRefresh)),
      ("notifications", state.allowsNotifications ? "allowed" : "not allowed"),
      ("lock-screen", word(state.showsOnLockScreen)),
      ("centre", word(state.showsInCentre)),
      ("banners", word(state.showsBanners)),
      ("focus", word(state.hasFocus)),
      ("battery", "\(state.batteryPercent) %\(state.isCharging ? ", charging" : "")"),
      ("network", word(state.hasNetwork)),
      ("storage", state.isStorageFull ? "full" : "free"),
      ("audio", state.playsOtherAudio ? "another app plays" : "no other app plays"),
    ]
  }
}
