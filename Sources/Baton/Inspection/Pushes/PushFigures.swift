import Ground
import DaemonRuntime
import PhonePolicy

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
    pushes: [PushRow], notifications: [NotificationRow], tasks: [TaskRow], times: [PushTime],
    processes: [ProcessRow] = [], success: PushSuccess? = nil
  ) {
    let shown = Dictionary(notifications.compactMap { row in row.push.map { ($0, row) } }) { first, _ in first
    }
    let ends = processes.filter { $0.hasEnded && $0.role == Role.extension.rawValue }
    self.pushes = pushes.lastOfEach.map { row in
      var row = row
      row.fate =
        row.fate ?? shown[row.id].map { Self.words(row, shownAs: $0, ends) }
        ?? (row.isVisible ? "not shown yet" : "on its way")
      return PushFacts(row: row, time: times.last { $0.push == row.id })
    }
    let ofSilent = times.filter(\.isSilent)
    handlerStarts = ofSilent.count
    memory = PeakMemory(processes.lastOfEach, times: ofSilent)
    self.success = success
    let begun = tasks.lastOfEach.filter { $0.launchedAt != nil }
    tasksBegun = begun.count
    tasksCompleted = begun.count { $0.state == "completed" }
  }

  /// The extension may have ended, or finished, without a text of its own.
  private static func words(
    _ push: PushRow, shownAs notification: NotificationRow, _ ends: [ProcessRow]
  ) -> String {
    guard push.hasMutableContent, notification.source == PhoneNotification.Source.original.rawValue else {
      return "shown"
    }
    let end = ends.last {
      $0.boot == notification.boot
        && $0.endedAt.map { (push.at...max(push.at, notification.at)).contains($0) } ?? false
    }
    let why = end?.wholeReason.map { "as the extension ended: \($0)" } ?? "as the extension gave no text"
    return "shown with its original alert, \(why)"
  }

  package init(of phone: Baton.Phone) {
    func rows<Row: Report>(_ name: String) -> [Row] { GrowingRows("\(phone.os)/\(name).jsonl").next() }
    let pushes: [PushRow] = rows("pushes")
    self.init(
      pushes: pushes, notifications: rows("notifications"), tasks: rows("tasks"),
      times: pushes.isEmpty ? [] : PushTimes.written(in: phone.journal), processes: rows("processes"),
      success: PushSuccess(of: phone))
  }

  private var silent: [PushFacts] { pushes.filter(\.row.isSilent) }
  package var silentArrived: Int { silent.count }
  package var received: Int { silent.count { $0.hasReceived } }
  var leftToVisible: Int { silent.count { $0.isLeftToVisible } }
  var nodeStarts: [TimeSpan] { silent.compactMap { $0.time?.nodeStarted }.sorted() }
  package var connections: [TimeSpan] { silent.compactMap { $0.time?.connected }.sorted() }
}
