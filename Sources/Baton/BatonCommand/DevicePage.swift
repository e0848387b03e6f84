import PhoneClient
import Terminal
import DaemonRuntime
import Reports

/// How the phone is switched, as iosd says.
struct DevicePage {
  let record: DeviceRecord

  func tell(_ output: Output) { output.isJSON ? output.say(record) : output.facts(rows) }

  private var rows: [(String, String)] {
    let lock =
      !record.locked
      ? "unlocked" : record.unlockedBefore ? "locked" : "locked, and not yet unlocked since it was started"
    func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return [
      ("screen", lock),
      ("low-power", word(record.lowPower)),
      ("background-refresh", word(record.backgroundRefresh)),
      ("notifications", record.notifications ? "allowed" : "not allowed"),
      ("focus", word(record.focus)),
      ("battery", "\(record.battery) %\(record.charger ? ", at the charger" : "")"),
      ("network", word(record.network)),
      (
        "storage",
        record.storageFull ? record.storageNote == nil ? "full" : "full, in name alone" : "free"
      ),
      ("audio", record.audio ? "another app plays" : "no other app plays"),
    ]
  }
}
