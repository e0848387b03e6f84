import PhoneClient
import Ground
import DaemonRuntime
import Reports

/// Outcomes of a phone's pushes and background tasks, counted from its files; no daemon has to run.
package struct PushFigures: Sendable {
  /// In order of their numbers; `fate` is set in each row.
  package var pushes: [PushFacts] = []
  /// How often a silent push was handed to the app.
  package var handlerStarts = 0
  package var tasksBegun = 0
  package var tasksCompleted = 0
  package var memory: PeakMemory
  /// Nil without the LSP's ledger.
  package var success: PushSuccess?

  package init(
    pushes: [PushRow], notifications: [NotificationRow], tasks: [TaskRow], times: [SilentPushTime],
    processes: [ProcessRow] = [], success: PushSuccess? = nil
  ) {
    let shown = Set(notifications.compactMap(\.push))
    self.pushes = pushes.lastOfEach.map { row in
      var row = row
      row.fate =
        row.fate ?? (shown.contains(row.id) ? "shown" : row.isVisible ? "not shown yet" : "on its way")
      return PushFacts(row: row, time: row.isSilent ? times.last { $0.push == row.id } : nil)
    }
    handlerStarts = times.count
    memory = PeakMemory(processes.lastOfEach, times: times)
    self.success = success
    let begun = tasks.lastOfEach.filter { $0.launchedAt != nil }
    tasksBegun = begun.count
    tasksCompleted = begun.count { $0.state == "completed" }
  }

  package init(of phone: Phone) {
    func rows<Row: Report>(_ name: String) -> [Row] { GrowingRows("\(phone.os)/\(name).jsonl").next() }
    self.init(
      pushes: rows("pushes"), notifications: rows("notifications"), tasks: rows("tasks"),
      times: SilentPushTimes.written(in: phone.journal), processes: rows("processes"),
      success: PushSuccess(of: phone))
  }

  private var silent: [PushFacts] { pushes.filter(\.row.isSilent) }
  package var silentArrived: Int { silent.count }
  package var received: Int { silent.count { $0.hasReceived } }
  var leftToVisible: Int { silent.count { $0.isLeftToVisible } }
  var nodeStarts: [TimeSpan] { silent.compactMap { $0.time?.nodeStarted }.sorted() }
  package var connections: [TimeSpan] { silent.compactMap { $0.time?.connected }.sorted() }
}
