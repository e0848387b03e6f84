import PhoneClient
import Inspection
import Ground
import DaemonRuntime
import PhonePolicy
import Reports

/// What a phone has written down of its pushes, its notifications and its extension's processes, and what is wrong in it.
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

  /// What a machine that is far too busy may add to a limit before it counts as broken.
  static let slack = TimeSpan.seconds(2)

  var pushes: [Push]
  var notifications: [Shown]
  /// Of the extension.
  var processes: [ProcessRow]

  init(pushes: [Push], notifications: [Shown], processes: [ProcessRow]) {
    self.pushes = pushes
    self.notifications = notifications
    self.processes = processes
  }

  /// As it stands in the phone's files by now.
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

  /// Those that a user sees. A row that is written again is of the same push.
  mutating func add(push row: PushRow) {
    guard row.isVisible, !pushes.contains(where: { $0.id == row.id }) else { return }
    pushes.append(Push(id: row.id, at: Instant(nanoseconds: row.at)))
  }

  /// Those that belong to a push.
  mutating func add(notification row: NotificationRow) {
    guard let push = row.push, !notifications.contains(where: { $0.id == row.id }) else { return }
    notifications.append(Shown(id: row.id, push: push, at: Instant(nanoseconds: row.at)))
  }

  var allAreShown: Bool { pushes.allSatisfy { push in notifications.contains { $0.push == push.id } } }

  /// From the push to its notification, for those that have one.
  var waits: [TimeSpan] {
    pushes.compactMap { push in notifications.first { $0.push == push.id }.map { $0.at - push.at } }
  }

  var killedForTime: Int { processes.filter { Self.isKilledForTime($0) }.count }

  var peakFootprintBytes: UInt64 { processes.compactMap(\.peakFootprintBytes).max() ?? 0 }
  var peakResidentBytes: UInt64 { processes.compactMap(\.peakResidentBytes).max() ?? 0 }

  /// Sentences about what is not as it should be; `frozen` processes were stopped while they worked.
  func complaints(limit: TimeSpan, frozen: Int) -> [String] {
    let longest = TimeSpan(nanoseconds: limit.nanoseconds + Self.slack.nanoseconds)
    var sentences: [String] = []
    for push in pushes {
      let shown = notifications.filter { $0.push == push.id }
      if shown.count != 1 { sentences.append("push \(push.id) has \(shown.count) notifications and not one") }
      // Its time begins when the one before it is done with.
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
        sentences.append("the extension \(process.pid) \(process.reason ?? "ended for no reason")")
      }
      let last = pushes.map(\.at).filter { $0 <= end }.max() ?? end
      if Self.isKilledForTime(process) && end - last > longest {
        sentences.append(
          "the extension \(process.pid) lived \(HumanText.span(end - last)) with its last push")
      }
    }
    if killedForTime < frozen {
      sentences.append(
        "\(frozen) extensions were stopped at work, and only \(killedForTime) were killed for time")
    }
    return sentences
  }

  private static func isKilledForTime(_ process: ProcessRow) -> Bool {
    process.endCode == .timeLimit
  }
}
