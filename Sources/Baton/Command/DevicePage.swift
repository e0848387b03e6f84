import DaemonRuntime
import PhonePolicy

/// The phone's settings, as iosd reports them.
struct DevicePage {
  let record: DeviceRecord

  func tell(_ output: Output) { output.isJSON ? output.say(record) : output.facts(rows) }

  private var rows: [(String, String)] {
    let lock =
      !record.locked ? "unlocked" : record.unlockedBefore ? "locked" : "locked, not yet unlocked since boot"
    func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return [
      ("screen", lock),
      ("low-power", word(record.lowPower)),
      ("background-refresh", word(record.backgroundRefresh)),
      ("notifications", record.notifications ? "allowed" : "not allowed"),
      ("lock-screen", word(record.lockScreen)),
      ("centre", word(record.centre)),
      ("banners", word(record.banners)),
      ("focus", word(record.focus)),
      ("battery", "\(record.battery) %\(record.charger ? ", charging" : "")"),
      ("network", word(record.network)),
      ("storage", record.storageFull ? "full" : "free"),
      ("audio", record.audio ? "another app plays" : "no other app plays"),
    ]
  }
}
