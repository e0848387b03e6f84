import JSON
import DaemonRuntime

/// What the extension may use and how it is held to that, as iosd says it.
struct LimitsReport {
  private let facts: JSONValue

  /// Nil when iosd does not run, or is one that does not say.
  init?(_ phone: Phone) {
    guard let answer = try? phone.askForJSON(.iosd, ControlMessage("memory")), let facts = answer["limits"]
    else { return nil }
    self.facts = facts
  }

  init(_ facts: JSONValue) { self.facts = facts }

  var sentence: String {
    let exactness = facts["memory_exactness"]?.text ?? "iosd does not say how"
    guard facts["enforced"]?.flag == true else { return "limits of the extension: none; \(exactness)" }
    let bytes = HumanText.grouped(facts["memory_bytes"]?.uint ?? 0)
    let mechanism = facts["memory_mechanism"]?.text ?? "an unknown mechanism"
    let seconds = HumanText.seconds(.milliseconds(facts["time_ms"]?.int ?? 0))
    let whyNot = facts["no_group_because"]?.text.map { "; no memory cgroup: \($0)" } ?? ""
    return
      "limits of the extension: \(bytes) bytes by \(mechanism) (\(exactness))\(whyNot); \(seconds) s per push by a timer"
  }

  var json: String {
    var object = JSONObject()
    object.set("enforced", facts["enforced"]?.flag ?? false)
    for name in ["memory_bytes", "time_ms"] { object.set(name, ifPresent: facts[name]?.uint) }
    for name in [
      "memory_mechanism", "memory_exactness", "memory_group", "no_group_because", "time_mechanism",
    ] {
      object.set(name, ifPresent: facts[name]?.text)
    }
    return object.text
  }
}
