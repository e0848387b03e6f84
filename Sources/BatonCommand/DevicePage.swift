import JSON
import DaemonRuntime

/// How the phone is switched, as iosd says.
struct DevicePage {
  private let facts: JSONValue

  init(_ facts: JSONValue) { self.facts = facts }

  func tell(_ output: Output) { output.isJSON ? output.say(json.text) : output.facts(rows) }

  private func isOn(_ name: String) -> Bool { facts[name]?.flag ?? false }

  /// Why a storage that is full is so in name alone.
  var storageNote: String? { facts["storage_note"]?.text }

  private var rows: [(String, String)] {
    let lock =
      !isOn("locked")
      ? "unlocked" : isOn("unlocked_before") ? "locked" : "locked, and not yet unlocked since it was started"
    func word(_ name: String) -> String { isOn(name) ? "on" : "off" }
    return [
      ("screen", lock),
      ("low-power", word("low_power")),
      ("background-refresh", word("background_refresh")),
      ("notifications", isOn("notifications") ? "allowed" : "not allowed"),
      ("focus", word("focus")),
      ("battery", "\(facts["battery"]?.word ?? "?") %\(isOn("charger") ? ", at the charger" : "")"),
      ("network", word("network")),
      ("storage", isOn("storage_full") ? storageNote == nil ? "full" : "full, in name alone" : "free"),
      ("audio", isOn("audio") ? "another app plays" : "no other app plays"),
    ]
  }

  private var json: JSONObject {
    var object = JSONObject()
    for name in [
      "locked", "unlocked_before", "low_power", "background_refresh", "notifications", "focus", "charger",
      "network", "storage_full", "audio",
    ] { object.set(name, isOn(name)) }
    object.set("battery", ifPresent: facts["battery"]?.int)
    object.set("storage_note", ifPresent: storageNote)
    return object
  }
}
