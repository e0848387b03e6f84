import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Judge
import PhonePolicy

/// The output of `baton list pushes`: the list, and the figures below it.
extension PushFigures {
  package func tell(_ output: Output, wallNanoseconds now: Int64) {
    guard !output.isJSON else { return output.say(self) }
    if pushes.isEmpty {
      output.say("no push has arrived yet; `baton push` delivers one")
    } else {
      output.table(
        [["PUSH", "KIND", "CAME", "NODE", "CONNECTED", "OUTCOME"]] + pushes.map { cells($0, now) })
    }
    for sentence in sentences { output.say(sentence) }
  }

  private func cells(_ push: Push, _ now: Int64) -> [String] {
    func after(_ ms: Int64?) -> String { ms.map { "after \(HumanText.span(.milliseconds($0)))" } ?? "" }
    return [
      "\(push.id)", push.first.of.map { "silent, of \($0)" } ?? push.first.kind, came(push.first, now),
      after(push.nodeStartMs),
      after(push.connectedMs), fate(push.first),
    ]
  }

  private func fate(_ push: PushRow) -> String {
    let words = push.fate ?? ""
    guard let late = push.lateMs, push.fateCode != .late else { return words }
    return "\(words), \(HumanText.span(.milliseconds(late))) late"
  }

  /// If the clock was set back since, the age is unknown, and the recorded time is shown.
  private func came(_ push: PushRow, _ now: Int64) -> String {
    let (ago, overflowed) = now.subtractingReportingOverflow(push.wallNs)
    guard !overflowed, ago >= 0 else { return "at \(WallClockText.write(push.wallNs))" }
    return "\(HumanText.span(TimeSpan(nanoseconds: ago))) ago"
  }

  package var sentences: [String] {
    var all: [String] = []
    if silent.arrived > 0 {
      all.append(
        "silent pushes: \(silent.arrived) arrived, \(silent.handlerStarts) \(silent.handlerStarts == 1 ? "was" : "were") handed to the app, "
          + "with \(silent.received) the app received a payment, with \(silent.leftToVisible) it did not")
    }
    for (what, spans) in [
      ("the node started", silent.nodeStartMs), ("the node was connected", silent.connectedMs),
    ] where !spans.isEmpty {
      let (median, most) = (spans[spans.count / 2], spans[spans.count - 1])
      all.append(
        "\(what) \(HumanText.span(.milliseconds(median))) after a silent push (median), at most \(HumanText.span(.milliseconds(most)))"
      )
    }
    if tasks.begun > 0 {
      all.append("background tasks: \(tasks.completed) completed of \(tasks.begun) begun")
    }
    if let success, success.announced > 0 { all.append(success.sentence) }
    if let memory = memory.sentence { all.append(memory) }
    return all
  }
}

/// The peaks of memory of processes that have ended, as iosd has measured them.
package struct PeakMemory: Report, Hashable {
  /// Of all extensions: each was started for a push.
  package var extensionBytes: UInt64?
  var extensionProcesses: Int
  package var appBytes: UInt64?
  var appProcesses: Int
  /// Of those processes of the app that ran the node for a silent push.
  var appAtWorkBytes: UInt64?
  var appAtWorkProcesses: Int

  package init(_ processes: [ProcessRow], times: [PushTime]) {
    let workers = Set(times.filter { $0.nodeStarted != nil || $0.connected != nil }.compactMap(\.process))
    func peaks(_ isMeant: (ProcessRow) -> Bool) -> [UInt64] {
      processes.filter(isMeant).compactMap(\.peakFootprintBytes)
    }
    let extensions = peaks { $0.role == "extension" }
    let apps = peaks { $0.role == "app" }
    let atWork = peaks { $0.role == "app" && workers.contains($0.pid) }
    extensionBytes = extensions.max()
    extensionProcesses = extensions.count
    appBytes = apps.max()
    appProcesses = apps.count
    appAtWorkBytes = atWork.max()
    appAtWorkProcesses = atWork.count
  }

  var sentence: String? {
    func peak(_ who: String, _ bytes: UInt64?, _ count: Int) -> String? {
      bytes.map {
        "\(who) at most \(HumanText.megabytes($0)) (\(HumanText.count(count, "process", "processes")))"
      }
    }
    let parts = [
      peak("the extension", extensionBytes, extensionProcesses), peak("the app", appBytes, appProcesses),
      peak("the app at work on a silent push", appAtWorkBytes, appAtWorkProcesses),
    ].compactMap { $0 }
    return parts.isEmpty ? nil : "memory of processes that have ended: \(parts.joined(separator: ", "))"
  }
}

/// How many of the announced payments were received soon.
package struct PushSuccess: Report, Hashable {
  static let bound = TimeSpan.seconds(15)

  /// Payments with a delivered push; the parts of one payment are one.
  package var announced: Int
  /// Those that were received within the bound of one of their pushes.
  package var receivedInTime: Int
  var boundMs = PushSuccess.bound.wholeMilliseconds

}

extension PushSuccess {
  static func payments(of phone: Phone) throws(JudgeError) -> AnnouncedPayments? {
    try AnnouncedPayments(home: phone.home, boundNs: bound.nanoseconds)
  }

  /// Nil without a ledger of the LSP that can be read.
  package init?(of phone: Phone) {
    guard let payments = try? Self.payments(of: phone) else { return nil }
    self.init(announced: payments.count, receivedInTime: payments.receivedInTime)
  }

  var sentence: String {
    "of \(HumanText.count(announced, "payment")) announced by a push, \(receivedInTime) \(receivedInTime == 1 ? "was" : "were") received within \(boundMs / 1000) s of it"
  }
}

/// Outcomes of a phone's pushes and background tasks, counted from its files; no daemon has to run.
package struct PushFigures: Report {
  package struct Times: Report {
    /// From its arrival at the app or the extension to the node's start, and to the connection.
    package var nodeStartMs: Int64?
    package var connectedMs: Int64?
  }

  /// One push with its outcome; `fate` is set.
  package typealias Push = Joined<PushRow, Times>

  package struct Silent: Report {
    package var arrived: Int
    /// How often a silent push was handed to the app.
    package var handlerStarts: Int
    /// Pushes that received a payment.
    package var received: Int
    /// Pushes that woke the app for a payment and ended without it: the visible push has to deliver it.
    package var leftToVisible: Int
    /// The shortest first.
    package var nodeStartMs: [Int64]
    package var connectedMs: [Int64]
  }

  package struct Tasks: Report {
    package var begun: Int
    package var completed: Int
  }

  /// In order of their numbers.
  package var pushes: [Push]
  package var silent: Silent
  package var tasks: Tasks
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
    let facts = pushes.lastOfEach.map { row in
      var row = row
      row.fate =
        row.fate ?? shown[row.id].map { Self.words(row, shownAs: $0, ends) }
        ?? (row.isVisible ? "not shown yet" : "on its way")
      return (row: row, time: times.last { $0.push == row.id })
    }
    self.pushes = facts.map { row, time in
      let (start, connection) = (time?.nodeStarted, time?.connected)
      return Joined(
        row, Times(nodeStartMs: start?.wholeMilliseconds, connectedMs: connection?.wholeMilliseconds))
    }
    let (ofSilent, silent) = (times.filter(\.isSilent), facts.filter(\.row.isSilent))
    self.silent = Silent(
      arrived: silent.count, handlerStarts: ofSilent.count, received: silent.count { $0.row.hasReceived },
      leftToVisible: silent.count { row, time in
        time?.isWakingForPayment == true && !row.hasReceived
          && [.completed, .expired, .abandoned].contains(row.fateCode)
      },
      nodeStartMs: silent.compactMap { $0.time?.nodeStarted?.wholeMilliseconds }.sorted(),
      connectedMs: silent.compactMap { $0.time?.connected?.wholeMilliseconds }.sorted())
    memory = PeakMemory(processes.lastOfEach, times: ofSilent)
    self.success = success
    let begun = tasks.lastOfEach.filter { $0.launchedAtNs != nil }
    self.tasks = Tasks(begun: begun.count, completed: begun.count { $0.state == "completed" })
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
        && $0.endedAtNs.map { (push.atNs...max(push.atNs, notification.atNs)).contains($0) } ?? false
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
}

extension PushRow {
  fileprivate var hasReceived: Bool {
    fateCode == .completed && fateDetail == SilentPushOutcome.newData.rawValue
  }

  var kind: String { isVisible ? "visible" : isBadgeOrSound == true ? "badge or sound" : "silent" }
}

/// Reads the rows of a file that another process appends to: each once, when its line is whole.
package final class GrowingRows<Row: Report> {
  private let path: String
  private var consumed = 0

  package init(_ path: String) { self.path = path }

  /// The rows written since the last call; none while there is no such file. A pipe in its place would block for ever.
  package func next() -> [Row] {
    guard let descriptor = try? PlainFile.open(path, O_RDONLY) else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: max(0, lseek(descriptor, 0, SEEK_END) - consumed))
    let count = pread(descriptor, &bytes, bytes.count, consumed)
    guard let end = bytes[..<max(0, count)].lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    consumed += end + 1
    return Row.rows(in: bytes[..<end])
  }
}

/// Reads the times from the guards' records in the journals of app and extension.
struct PushTimes {
  private(set) var all: [PushTime] = []
  private let process: Int32?
  private var isInFront = false
  /// Indices in `all` of the pushes that are not completed.
  private var open: [Int] = []

  /// Of all processes of the wallet, the oldest first.
  static func written(in directory: String) -> [PushTime] {
    FilePath.journals(in: directory).filter {
      Role.allCases.map(\.processName).contains(JournalMerger.nameParts($0).process)
    }.flatMap { name -> [PushTime] in
      var times = PushTimes(process: JournalMerger.nameParts(name).pid)
      // An unreadable journal is skipped.
      let reader = JournalReader(path: "\(directory)/\(name)")
      while let line = try? reader.next() { times.read(line) }
      return times.all
    }
  }

  init(process: Int32? = nil) { self.process = process }

  mutating func read(_ line: JournalLine) {
    guard line.header.kind == "event",
      let core = line.header.core, [AppMachine.name, ExtensionMachine.name].contains(core),
      let body = EventBody<GuardEvent, GuardDirective>(line)
    else { return }
    switch body.event {
    case .enteredForeground: isInFront = true
    case .enteredBackground: isInFront = false
    // The app gets a visible push only in front, where its node runs.
    case .pushArrived(let push) where core == ExtensionMachine.name:
      open.append(all.count)
      all.append(PushTime(push: push.id, isSilent: false, process: process, arrivedAt: line.at))
    case .silentPushArrived(let push):
      open.append(all.count)
      let isAboutPayment = push.reason == .incomingPayment || push.reason == .pendingSettlement
      all.append(
        PushTime(
          push: push.id, process: process, arrivedAt: line.at,
          isWakingForPayment: isAboutPayment && !isInFront))
    default: break
    }
    for place in open where body.starts && all[place].nodeStarted == nil {
      all[place].nodeStarted = line.at - all[place].arrivedAt
    }
    for place in open where body.event == .node(.established) && all[place].connected == nil {
      all[place].connected = line.at - all[place].arrivedAt
    }
    for directive in body.directives {
      switch directive {
      case .phone(.completed(let push, _)), .phone(.finished(let push, _)):
        open.removeAll { all[$0].push == push }
      default: break
      }
    }
  }
}

extension EventBody<GuardEvent, GuardDirective> {
  fileprivate var starts: Bool {
    directives.contains { if case .node(.startNode) = $0 { true } else { false } }
  }
}

/// When a silent push arrived at the app, or a visible one at the extension, and how long the node then took to start
/// and to connect.
package struct PushTime: Hashable, Sendable {
  package var push: UInt64
  var isSilent = true
  /// The pid of the process that it was handed to.
  var process: Int32?
  var arrivedAt: Instant
  /// The push was about a payment and arrived while the app was in the background.
  var isWakingForPayment = false
  /// Nil if the node did not start or ran already.
  var nodeStarted: TimeSpan?
  package var connected: TimeSpan?
}
