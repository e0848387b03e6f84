import Ground
import JSON
import DaemonRuntime

/// One row of iosd's ledger of background tasks.
struct TaskFacts: Hashable, Sendable {
  private var identifier: String
  private var kind: String
  private var state: String
  private var submittedAt: Int64
  private var object: JSONValue

  init?(_ object: JSONValue) {
    guard let identifier = object["identifier"]?.text, let kind = object["kind"]?.text,
      let state = object["state"]?.text, let submitted = object["submitted_at_ns"]?.int
    else { return nil }
    self.identifier = identifier
    self.kind = kind
    self.state = state
    self.object = object
    submittedAt = submitted
  }

  private func instant(_ name: String) -> Instant? { object[name]?.int.map { Instant(nanoseconds: $0) } }

  func cells(now: Instant) -> [String] {
    let launched = instant("launched_at_ns")
    let asked = HumanText.span(now - Instant(nanoseconds: submittedAt))
    let ran = launched.map { HumanText.span((instant("ended_at_ns") ?? now) - $0) }
    return [identifier, kind, state, "\(asked) ago", ran ?? "", why(now: now)]
  }

  private func why(now: Instant) -> String {
    var words = object["why"]?.text.map { [$0] } ?? []
    if state == "waiting", let earliest = instant("earliest_at_ns"), earliest > now {
      words.append("not before \(HumanText.span(earliest - now)) from now")
    }
    if object["by_hand"]?.flag == true { words.append("started by hand") }
    if let refused = object["refused_completions"]?.int, refused > 0 {
      words.append("said to be done \(refused == 1 ? "once" : "\(refused) times") more than it was")
    }
    return words.joined(separator: "; ")
  }

  var json: String {
    var row = JSONObject()
    row.set("id", ifPresent: object["id"]?.uint)
    row.set("identifier", identifier)
    row.set("kind", kind)
    row.set("state", state)
    row.set("why", ifPresent: object["why"]?.text)
    for name in ["submitted_wall_ns", "submitted_at_ns", "earliest_at_ns", "launched_at_ns", "ended_at_ns"] {
      row.set(name, ifPresent: object[name]?.int)
    }
    for name in ["success", "by_hand", "requires_network", "requires_external_power"] {
      if let flag = object[name]?.flag { row.set(name, flag) }
    }
    row.set("refused_completions", ifPresent: object["refused_completions"]?.int)
    return row.text
  }
}
