import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy
import SharedContainer

/// The outcome of many pushes on many phones, and its problems.
struct PushReport {
  let wallet: WalletProfile
  let timers: PushTimers
  let outcomes: [PushCrowd.Outcome]
  let isDebugBuild: Bool
  /// The judge's findings on all phones.
  let findings: [String]
  let took: TimeSpan

  /// The problems as sentences; empty if all is well.
  var problems: [String] {
    // A debug build has no time limit: no extension is killed for it.
    outcomes.enumerated().flatMap { index, outcome in
      let problems = outcome.evidence.problems(
        limit: timers.extensionTime, strikes: outcome.strikes, hasLimits: !isDebugBuild)
      return problems.map { "phone \(index + 1): \($0)" } + SoakReport(subjects: outcome.subjects).problems
    } + findings
  }

  private var pushes: Int { outcomes.map(\.evidence.pushes.count).reduce(0, +) }
  private var payments: Int { outcomes.map(\.payments).reduce(0, +) }
  private var untouched: Int { outcomes.map(\.untouched).reduce(0, +) }
  private var lost: Int { outcomes.map(\.lost).reduce(0, +) }
  private var told: Int {
    outcomes.map { outcome in
      outcome.evidence.pushes.count { push in outcome.evidence.notifications.contains { $0.push == push.id } }
    }.reduce(0, +)
  }
  private var processes: Int { outcomes.map(\.evidence.processes.count).reduce(0, +) }
  private var frozen: Int { outcomes.map(\.strikes.freezes.count).reduce(0, +) }
  private var killed: Int { outcomes.map(\.strikes.killed).reduce(0, +) }
  private var afterContent: Int { outcomes.map { $0.evidence.strikesAfterContent($0.strikes) }.reduce(0, +) }
  private var silentClaims: Int { outcomes.map(\.evidence.silentClaims.count).reduce(0, +) }
  private var longestSilentWait: TimeSpan { outcomes.map(\.evidence.longestSilentWait).max() ?? .zero }
  private var killedForTime: Int { outcomes.map(\.evidence.killedForTime).reduce(0, +) }
  private var peakFootprintBytes: UInt64 { outcomes.map(\.evidence.peakFootprintBytes).max() ?? 0 }
  private var peakResidentBytes: UInt64 { outcomes.map(\.evidence.peakResidentBytes).max() ?? 0 }

  /// From the push to its notification.
  private var waits: SpanPercentiles { SpanPercentiles(outcomes.flatMap(\.evidence.waits)) }

  private func growth(_ daemon: Daemon) -> Int {
    outcomes.flatMap(\.subjects).filter { $0.name.hasPrefix(daemon.rawValue) }.map { subject in
      let grown = Double(subject.after.heapBytes ?? 0) - Double(subject.before.heapBytes ?? 0)
      return Int((grown / Double(subject.rounds)).rounded())
    }.max() ?? 0
  }

  func tell(_ output: Output) {
    let problems = problems
    output.say(
      "\(pushes) pushes about \(payments) payments on \(outcomes.count) phones in \(HumanText.span(took)), with \(timers == .real ? "real timers" : "timers scaled to a fiftieth")"
    )
    output.say(
      "the wallet is \(wallet.name): \(untouched) payments received before the user opened the app, \(told) pushes told to the user, \(lost) payments lost to the end of their hold"
    )
    output.say(
      "from the push to its notification: median \(HumanText.span(waits[50])), 99th percentile \(HumanText.span(waits[99])), maximum \(HumanText.span(waits[100]))"
    )
    output.say(
      "\(processes) extension processes; \(frozen) frozen at work, \(killed) killed at work, \(killedForTime) killed at the time limit, \(afterContent) struck after their content"
    )
    output.say(
      "\(silentClaims) claims because the holder went silent; from the claimant's start at most \(HumanText.span(longestSilentWait))"
    )
    output.say(
      "the extension's peak: footprint \(HumanText.megabytes(peakFootprintBytes)), resident \(HumanText.megabytes(peakResidentBytes))"
    )
    output.say("heap growth per push, at most: iosd \(growth(.iosd)) bytes, lspd \(growth(.lspd)) bytes")
    for problem in problems { output.say(output.paint(problem, .red)) }
    output.say(
      problems.isEmpty
        ? output.paint(
          "each push has exactly one notification, no process exceeded a limit, and nothing leaked", .green)
        : output.paint("failed: see the lines above", .red))
  }

  struct Document: Report {
    var wallet: String
    var timers: String
    var phones: Int
    var pushes: Int
    var payments: Int
    /// Settled when the user next opened the app.
    var receivedUntouched: Int
    /// Pushes with a notification.
    var told: Int
    /// Payments whose hold ended before the user opened the app.
    var lostToHold: Int
    var processes: Int
    var stoppedAtWork: Int
    var killedAtWork: Int
    var killedForTime: Int
    /// Frozen or killed after the push had its content.
    var struckAfterContent: Int
    /// Claims made because the holder went silent, and the longest time from the claimant's start to such a claim.
    var silentClaims: Int
    var silentClaimLongestMs: Int64
    /// Time from a push to its notification.
    var waitMedianMs: Int64
    var waitP99Ms: Int64
    var waitLongestMs: Int64
    var peakFootprintBytes: UInt64
    var peakResidentBytes: UInt64
    var iosdHeapBytesPerPush: Int
    var lspdHeapBytesPerPush: Int
    var tookMs: Int64
    var complaints: [String]
    var sound: Bool
  }

  var document: Document {
    Document(
      wallet: wallet.name, timers: timers.rawValue, phones: outcomes.count, pushes: pushes,
      payments: payments, receivedUntouched: untouched, told: told, lostToHold: lost, processes: processes,
      stoppedAtWork: frozen, killedAtWork: killed, killedForTime: killedForTime,
      struckAfterContent: afterContent, silentClaims: silentClaims,
      silentClaimLongestMs: longestSilentWait.wholeMilliseconds, waitMedianMs: waits[50].wholeMilliseconds,
      waitP99Ms: waits[99].wholeMilliseconds, waitLongestMs: waits[100].wholeMilliseconds,
      peakFootprintBytes: peakFootprintBytes, peakResidentBytes: peakResidentBytes,
      iosdHeapBytesPerPush: growth(.iosd), lspdHeapBytesPerPush: growth(.lspd),
      tookMs: took.wholeMilliseconds, complaints: problems, sound: problems.isEmpty)
  }
}

/// A phone's rows of pushes, notifications and extension processes, and the problems in them.
struct PushEvidence {
  struct Push: Hashable {
    var id: UInt64
    var at: Instant
  }

  struct Shown: Hashable {
    var id: UInt64
    var push: UInt64
    /// The extension's content, and not the alert as it was sent.
    var isContent = true
    var at: Instant
  }

  /// Tolerance for each limit on a very busy machine.
  static let slack = TimeSpan.seconds(2)

  var pushes: [Push]
  var notifications: [Shown]
  /// The extension's processes.
  var processes: [ProcessRow]
  var silentClaims: [SilentClaim] = []

  init(pushes: [Push], notifications: [Shown], processes: [ProcessRow]) {
    self.pushes = pushes
    self.notifications = notifications
    self.processes = processes
  }

  /// Reads the phone's files.
  init(of phone: Baton.Phone) throws(ContainerError) {
    self.init(pushes: [], notifications: [], processes: [])
    for row in GrowingRows<PushRow>("\(phone.os)/pushes.jsonl").next() { add(push: row) }
    for row in GrowingRows<NotificationRow>("\(phone.os)/notifications.jsonl").next() {
      add(notification: row)
    }
    let all = ProcessRow.written(in: phone.processLedger).lastOfEach
    processes = all.filter { $0.role == "extension" }
    let depth = SnapshotDepth(isThorough: true)
    silentClaims = Self.silentClaims(try Snapshot.take(of: phone.container, depth: depth).claims, all)
  }

  private static func silentClaims(_ claims: [ClaimRecord], _ processes: [ProcessRow]) -> [SilentClaim] {
    claims.filter { ClaimReason(rawValue: $0.reason) == .holderStale }.map { claim in
      let claimant = processes.last {
        $0.pid == claim.row.process.pid && $0.startTime == claim.row.process.startTime
      }
      return SilentClaim(
        epoch: claim.row.epoch, holder: claims.last { $0.row.epoch == claim.seen }?.row.process.pid ?? 0,
        waited: claimant.map { TimeSpan(nanoseconds: claim.wallClockNanoseconds - $0.startedWallNs) })
    }
  }

  /// Visible pushes only. A later row of the same push is ignored.
  mutating func add(push row: PushRow) {
    guard row.isVisible, !pushes.contains(where: { $0.id == row.id }) else { return }
    pushes.append(Push(id: row.id, at: Instant(nanoseconds: row.atNs)))
  }

  /// Notifications of a push only.
  mutating func add(notification row: NotificationRow) {
    guard let push = row.push, !notifications.contains(where: { $0.id == row.id }) else { return }
    let isContent = row.source == PhoneNotification.Source.content.rawValue
    notifications.append(
      Shown(id: row.id, push: push, isContent: isContent, at: Instant(nanoseconds: row.atNs)))
  }

  var allAreShown: Bool { pushes.allSatisfy { push in notifications.contains { $0.push == push.id } } }

  /// Times from push to notification.
  var waits: [TimeSpan] {
    pushes.compactMap { push in notifications.first { $0.push == push.id }.map { $0.at - push.at } }
  }

  var killedForTime: Int { processes.filter { Self.isKilledForTime($0) }.count }

  var peakFootprintBytes: UInt64 { processes.compactMap(\.peakFootprintBytes).max() ?? 0 }
  var peakResidentBytes: UInt64 { processes.compactMap(\.peakResidentBytes).max() ?? 0 }

  /// The longest wait for a claim by a holder's silence.
  var longestSilentWait: TimeSpan { silentClaims.compactMap(\.waited).max() ?? .zero }

  private func isShownWithContent(_ push: UInt64) -> Bool {
    notifications.contains { $0.push == push && $0.isContent }
  }

  /// How many strikes came after the content: the push has it all the same.
  func strikesAfterContent(_ strikes: PushStrikes) -> Int { strikes.pushes.count { isShownWithContent($0) } }

  /// The problems as sentences. Without limits (a debug build) no frozen extension is killed for its time.
  func problems(limit: TimeSpan, strikes: PushStrikes, hasLimits: Bool = true) -> [String] {
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
      if let one = shown.first, !one.isContent, !strikes.pushes.contains(push.id) {
        sentences.append("push \(push.id) was shown as it was sent, and its extension was not struck")
      }
    }
    for process in processes {
      guard let end = process.endedAtNs.map({ Instant(nanoseconds: $0) }) else {
        sentences.append("the extension \(process.pid) never ended")
        continue
      }
      if process.endCode == .crashed || process.endCode == .gaveUp {
        sentences.append("the extension \(process.pid) \(process.reason ?? "ended without a reason")")
      }
      if !isAllowed(process, strikes) {
        sentences.append("the extension \(process.pid) was \(process.reason ?? "killed")")
      }
      let last = pushes.map(\.at).filter { $0 <= end }.max() ?? end
      if Self.isKilledForTime(process) && end - last > longest {
        sentences.append(
          "the extension \(process.pid) ran for \(HumanText.span(end - last)) after its last push")
      }
    }
    for freeze in strikes.freezes where hasLimits && !isFollowedByKill(freeze) {
      sentences.append("the extension \(freeze.pid) was frozen at work, and not killed at the time limit")
    }
    for claim in silentClaims where !strikes.isFrozen(claim.holder) {
      sentences.append(
        "epoch \(claim.epoch) was claimed because \(claim.holder) went silent, which was not frozen")
    }
    return sentences
  }

  /// Each end that the soak did not cause is a problem.
  private func isAllowed(_ process: ProcessRow, _ strikes: PushStrikes) -> Bool {
    switch process.endCode {
    case .killedFromOutside: strikes.ended.contains(process.pid)
    case .timeLimit: strikes.isFrozen(process.pid)
    case .lockHeldWhileSuspended, .memoryLimit, .startLimit: false
    default: true
    }
  }

  /// Or the freeze came after the content: the phone then owes the process nothing.
  private func isFollowedByKill(_ freeze: PushStrikes.Freeze) -> Bool {
    processes.contains { $0.pid == freeze.pid && Self.isKilledForTime($0) }
      || !freeze.pushes.isEmpty && freeze.pushes.allSatisfy(isShownWithContent)
  }

  private static func isKilledForTime(_ process: ProcessRow) -> Bool { process.endCode == .timeLimit }
}

/// What a soak did to the extension's processes on one phone.
struct PushStrikes: Sendable {
  /// A process stopped while it worked, and the pushes that came since the push before.
  struct Freeze: Hashable, Sendable {
    var pid: Int32
    var pushes: Set<UInt64>
  }

  var freezes: [Freeze] = []
  /// Killed while they worked.
  var killed = 0
  /// Every process that was sent a signal to end it, also between the pushes.
  var ended: Set<Int32> = []
  /// The pushes whose extension was frozen or killed.
  var pushes: Set<UInt64> = []

  func isFrozen(_ pid: Int32) -> Bool { freezes.contains { $0.pid == pid } }
}

/// A claim made because the holder went silent.
struct SilentClaim: Hashable, Sendable {
  var epoch: Epoch
  var holder: Int32
  /// From the start of the claimant's process to the claim; nil if the phone did not start the process.
  var waited: TimeSpan?
}
