import Ground
import JSON
import DaemonRuntime

/// What came of a phone's pushes and background tasks, counted from its own files: nobody has to run for it.
struct PushFigures: Sendable {
  /// By their number.
  var pushes: [PushFacts] = []
  /// How often a silent push was handed to the app.
  var handlerStarts = 0
  var tasksBegun = 0
  var tasksCompleted = 0
  /// Pushes that have a notification.
  private var shown: Set<UInt64> = []

  init(pushes: [JSONValue], notifications: [JSONValue], tasks: [JSONValue], times: [SilentPushTime]) {
    self.pushes = Self.lastOfEach(pushes).compactMap(PushFacts.init)
    shown = Set(notifications.compactMap { $0["push"]?.uint })
    handlerStarts = times.count
    for index in self.pushes.indices where self.pushes[index].isSilent {
      self.pushes[index].time = times.last { $0.push == self.pushes[index].id }
    }
    let begun = Self.lastOfEach(tasks).filter { $0["launched_at_ns"]?.int != nil }
    tasksBegun = begun.count
    tasksCompleted = begun.count { $0["state"]?.text == "completed" }
  }

  init(of phone: Phone) {
    func rows(_ name: String) -> [JSONValue] { GrowingRows("\(phone.os)/\(name).jsonl").next() }
    self.init(
      pushes: rows("pushes"), notifications: rows("notifications"), tasks: rows("tasks"),
      times: SilentPushTimes.written(in: phone.journal))
  }

  /// The last row of an id counts, in the place of the first.
  private static func lastOfEach(_ rows: [JSONValue]) -> [JSONValue] {
    var places: [UInt64: Int] = [:]
    var last: [JSONValue] = []
    for row in rows {
      guard let id = row["id"]?.uint else { continue }
      if let place = places[id] {
        last[place] = row
      } else {
        places[id] = last.count
        last.append(row)
      }
    }
    return last
  }

  private var silent: [PushFacts] { pushes.filter(\.isSilent) }
  var silentArrived: Int { silent.count }
  var received: Int { silent.count { $0.hasReceived } }
  var leftToVisible: Int { silent.count { $0.isLeftToVisible } }
  var nodeStarts: [TimeSpan] { silent.compactMap { $0.time?.nodeStarted }.sorted() }
  var connections: [TimeSpan] { silent.compactMap { $0.time?.connected }.sorted() }

  /// What to say of it where no fate is written down.
  func fate(_ push: PushFacts) -> String {
    push.fate ?? (shown.contains(push.id) ? "shown" : push.isVisible ? "not shown yet" : "on its way")
  }
}
