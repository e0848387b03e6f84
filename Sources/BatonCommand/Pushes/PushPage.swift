import Ground
import JSON
import DaemonRuntime

/// The list of pushes, and the figures beneath it.
struct PushPage {
  let figures: PushFigures

  func tell(_ output: Output, wallNanoseconds now: Int64) {
    guard !output.isJSON else { return output.say(json.text) }
    if figures.pushes.isEmpty {
      output.say("no push has come yet; `baton push` delivers one")
    } else {
      output.table(
        [["PUSH", "KIND", "CAME", "NODE", "CONNECTED", "FATE"]] + figures.pushes.map { cells($0, now) })
    }
    for sentence in sentences { output.say(sentence) }
  }

  private func cells(_ push: PushFacts, _ now: Int64) -> [String] {
    func after(_ span: TimeSpan?) -> String { span.map { "after \(HumanText.span($0))" } ?? "" }
    return [
      "\(push.id)", kind(push), came(push, now), after(push.time?.nodeStarted),
      after(push.time?.connected), figures.fate(push),
    ]
  }

  private func kind(_ push: PushFacts) -> String {
    if push.isVisible { return "visible" }
    if push.isBadgeOrSound { return "badge or sound" }
    return push.of.map { "silent, of \($0)" } ?? "silent"
  }

  /// The person may have set the clock back since: how long ago it was is not known then, only what the clock showed.
  private func came(_ push: PushFacts, _ now: Int64) -> String {
    let (ago, overflowed) = now.subtractingReportingOverflow(push.wallNanoseconds)
    guard !overflowed, ago >= 0 else { return "at \(WallClockText.write(push.wallNanoseconds))" }
    return "\(HumanText.span(TimeSpan(nanoseconds: ago))) ago"
  }

  var sentences: [String] {
    var all: [String] = []
    if figures.silentArrived > 0 {
      all.append(
        "silent pushes: \(figures.silentArrived) arrived, \(figures.handlerStarts) \(figures.handlerStarts == 1 ? "was" : "were") handed to the app, "
          + "\(figures.received) received a payment, \(figures.leftToVisible) looked for one and found none")
    }
    for (what, spans) in [
      ("the node started", figures.nodeStarts), ("it was connected", figures.connections),
    ]
    where !spans.isEmpty {
      all.append(
        "\(what) \(HumanText.span(spans[spans.count / 2])) after a silent push, and \(HumanText.span(spans[spans.count - 1])) at the most"
      )
    }
    if figures.tasksBegun > 0 {
      all.append("background tasks: \(figures.tasksCompleted) completed of \(figures.tasksBegun) begun")
    }
    return all
  }

  var json: JSONObject {
    var silent = JSONObject()
    silent.set("arrived", figures.silentArrived)
    silent.set("handler_starts", figures.handlerStarts)
    silent.set("received", figures.received)
    silent.set("left_to_visible", figures.leftToVisible)
    silent.set("node_start_ns", raw: Self.list(figures.nodeStarts))
    silent.set("connected_ns", raw: Self.list(figures.connections))
    var tasks = JSONObject()
    tasks.set("begun", figures.tasksBegun)
    tasks.set("completed", figures.tasksCompleted)
    var object = JSONObject()
    object.set("pushes", raw: "[\(figures.pushes.map { row($0).text }.joined(separator: ","))]")
    object.set("silent", raw: silent.text)
    object.set("tasks", raw: tasks.text)
    return object
  }

  private static func list(_ spans: [TimeSpan]) -> String {
    "[\(spans.map { "\($0.nanoseconds)" }.joined(separator: ","))]"
  }

  private func row(_ push: PushFacts) -> JSONObject {
    var row = JSONObject()
    row.set("id", push.id)
    row.set("visible", push.isVisible)
    if push.isBadgeOrSound { row.set("badge_or_sound", true) }
    row.set("of", ifPresent: push.of)
    row.set("at_ns", push.at.nanoseconds)
    row.set("wall_ns", push.wallNanoseconds)
    row.set("fate", figures.fate(push))
    row.set("fate_code", ifPresent: push.fateCode?.rawValue)
    row.set("fate_detail", ifPresent: push.fateDetail)
    row.set("applied_badge", ifPresent: push.appliedBadge)
    row.set("applied_sound", ifPresent: push.appliedSound)
    row.set("node_start_ns", ifPresent: push.time?.nodeStarted?.nanoseconds)
    row.set("connected_ns", ifPresent: push.time?.connected?.nanoseconds)
    return row
  }
}
