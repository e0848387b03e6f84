import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import PhonePolicy
import Reports

/// A phone's rows of pushes, notifications and extension processes, and the problems in them.
struct PushEvidence {
  struct Push: Hashable {
    var id: UInt64
    var at: Instant
  }

  struct Shown: Hashable {
    var id: UInt64
    var push: UInt64
    var at: Instant
  }

  /// Tolerance for each limit on a very busy machine.
  static let slack = TimeSpan.seconds(2)

  var pushes: [Push]
  var notifications: [Shown]
  /// The extension's processes.
  var processes: [ProcessRow]

  init(pushes: [Push], notifications: [Shown], processes: [ProcessRow]) {
    self.pushes = pushes
    self.notifications = notifications
    self.processes = processes
  }

  /// Reads the phone's files.
  init(of phone: PhoneClient.Phone) {
    self.init(pushes: [], notifications: [], processes: [])
    for row in GrowingRows<PushRow>("\(phone.os)/pushes.jsonl").next() { add(push: row) }
    for row in GrowingRows<NotificationRow>("\(phone.os)/notifications.jsonl").next() {
      add(notification: row)
    }
    processes = ProcessRow.written(in: phone.processLedger).lastOfEach.filter {
      $0.role == "extension"
    }
  }

  /// Visible pushes only. A later row of the same push is ignored.
  mutating func add(push row: PushRow) {
    guard row.isVisible, !pushes.contains(where: { $0.id == row.id }) else { return }
    pushes.append(Push(id: row.id, at: Instant(nanoseconds: row.at)))
  }

  /// Notifications of a push only.
  mutating func add(notification row: NotificationRow) {
    guard let push = row.push, !notifications.contains(where: { $0.id == row.id }) else { return }
    notifications.append(Shown(id: row.id, push: push, at: Instant(nanoseconds: row.at)))
  }

  var allAreShown: Bool { pushes.allSatisfy { push in notifications.contains { $0.push == push.id } } }

  /// Times from push to notification.
  var waits: [TimeSpan] {
    pushes.compactMap { push in notifications.first { $0.push == push.id }.map { $0.at - push.at } }
  }

  var killedForTime: Int { processes.filter { Self.isKilledForTime($0) }.count }

  var peakFootprintBytes: UInt64 { processes.compactMap(\.peakFootprintBytes).max() ?? 0 }
  var peakResidentBytes: UInt64 { processes.compactMap(\.peakResidentBytes).max() ?? 0 }

  /// The problems as sentences; `frozen` is the number of processes that were stopped at work.
  func problems(limit: TimeSpan, frozen: Int) -> [String] {
    let longest = TimeSpan(nanoseconds: limit.nanoseconds + Self.slack.nanoseconds)
    var sentences: [String] = []
    for push in pushes {
      let shown = notifications.filter { $0.push == push.id }
      if shown.count != 1 { sentences.append("push \(push.id) has \(shown.count) notifications, not 1") }
      // The push's time begins when the previous push is finished.
      let before = notifications.filter { $0.push < push.id }.map(\.at).max() ?? push.at
      for one in shown where one.at - max(push.at, before) > longest {
        sentences.append("push \(push.id) waited \(HumanText.span(one.at - push.at)) for its notification")
      }
    }
    for process in processes {
      guard let end = process.endedAt.map({ Instant(nanoseconds: $0) }) else {
        sentences.append("the extension \(process.pid) never ended")
        continue
      }
      if process.endCode == .crashed || process.endCode == .gaveUp {
        sentences.append("the extension \(process.pid) \(process.reason ?? "ended without a reason")")
      }
      if process.endCode == .lockHeldWhileSuspended {
        sentences.append("the extension \(process.pid) was \(process.reason ?? "killed for a lock")")
      }
      let last = pushes.map(\.at).filter { $0 <= end }.max() ?? end
      if Self.isKilledForTime(process) && end - last > longest {
        sentences.append(
          "the extension \(process.pid) ran for \(HumanText.span(end - last)) after its last push")
      }
    }
    if killedForTime < frozen {
      sentences.append(
        "\(frozen) extensions were frozen at work, and only \(killedForTime) were killed at the time limit")
    }
    return sentences
  }

  private static func isKilledForTime(_ process: ProcessRow) -> Bool {
    process.endCode == .timeLimit
  }
}
