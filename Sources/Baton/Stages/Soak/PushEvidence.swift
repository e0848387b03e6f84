import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy
import SharedContainer

/// A phone's rows of pushes, notifications and extension processes, and what is wrong with them. That each push has
/// exactly one notification, the judge finds.
struct PushEvidence: Sendable {
  /// Tolerance for each limit on a very busy machine.
  static let slack = TimeSpan.seconds(2)

  /// The visible ones, by number: of several rows the first.
  private(set) var pushes: [UInt64: PushRow] = [:]
  /// The first one of each push.
  private(set) var shown: [UInt64: NotificationRow] = [:]
  /// The extension's processes.
  var processes: [ProcessRow] = []
  /// The claims made because the holder went silent, each with its holder.
  var silentClaims: [(epoch: Epoch, holder: Int32)] = []

  mutating func add(pushes rows: [PushRow]) {
    for row in rows where row.isVisible && pushes[row.id] == nil { pushes[row.id] = row }
  }

  mutating func add(notifications rows: [NotificationRow]) {
    for row in rows {
      guard let push = row.push, shown[push] == nil else { continue }
      shown[push] = row
    }
  }

  /// Adds what a phone at rest has besides.
  mutating func finish(of phone: Baton.Phone) throws(ContainerError) {
    processes = ProcessRow.written(in: phone.processLedger).lastOfEach.filter { $0.role == "extension" }
    let claims = try Snapshot.take(of: phone.container, depth: SnapshotDepth(isThorough: true)).claims
    for claim in claims where ClaimReason(rawValue: claim.reason) == .holderStale {
      let holder = claims.last { $0.row.epoch == claim.seen }?.row.process.pid ?? 0
      silentClaims.append((claim.row.epoch, holder))
    }
  }

  var allAreShown: Bool { pushes.keys.allSatisfy { shown[$0] != nil } }

  /// Times from push to notification.
  var waits: [TimeSpan] {
    shown.compactMap { push, row in
      pushes[push].map { TimeSpan(nanoseconds: row.atNs - $0.atNs) }
    }
  }

  /// The extension's content, and not the alert as it was sent.
  func isShownWithContent(_ push: UInt64) -> Bool {
    shown[push]?.source == PhoneNotification.Source.content.rawValue
  }

  /// The problems as sentences. Without limits (a debug build) no frozen extension is killed for its time.
  func problems(limit: TimeSpan, strikes: PushStrikes, hasLimits: Bool = true) -> [String] {
    let longest = limit + Self.slack
    var sentences: [String] = []
    // The push's time begins when the previous push is finished.
    var free = Int64.min
    for (id, push) in pushes.sorted(by: { $0.key < $1.key }) {
      guard let row = shown[id] else { continue }
      if row.atNs - max(push.atNs, free) > longest.nanoseconds {
        sentences.append(
          "push \(id) waited \(HumanText.span(TimeSpan(nanoseconds: row.atNs - push.atNs))) for its notification"
        )
      }
      if !isShownWithContent(id), !strikes.pushes.contains(id) {
        sentences.append("push \(id) was shown as it was sent, and its extension was not struck")
      }
      free = max(free, row.atNs)
    }
    for process in processes {
      guard let end = process.endedAtNs else {
        sentences.append("the extension \(process.pid) never ended")
        continue
      }
      if !isExpected(process, strikes) {
        sentences.append("the extension \(process.pid) ended: \(process.reason ?? "without a reason")")
      }
      let last = pushes.values.map(\.atNs).filter { $0 <= end }.max() ?? end
      if process.endCode == .timeLimit, end - last > longest.nanoseconds {
        let span = HumanText.span(TimeSpan(nanoseconds: end - last))
        sentences.append("the extension \(process.pid) ran for \(span) after its last push")
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
  private func isExpected(_ process: ProcessRow, _ strikes: PushStrikes) -> Bool {
    switch process.endCode {
    case .killedFromOutside: strikes.ended.contains(process.pid)
    case .timeLimit: strikes.isFrozen(process.pid)
    case .crashed, .gaveUp, .lockHeldWhileSuspended, .memoryLimit, .startLimit: false
    default: true
    }
  }

  /// Or the freeze came after the content: the phone then owes the process nothing.
  private func isFollowedByKill(_ freeze: PushStrikes.Freeze) -> Bool {
    processes.contains { $0.pid == freeze.pid && $0.endCode == .timeLimit }
      || !freeze.pushes.isEmpty && freeze.pushes.allSatisfy(isShownWithContent)
  }
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

/// The figures of a soak on many phones.
struct SoakedPushes: Report {
  var pushes: Int
  var payments: Int
  /// Settled when the user next opened the app.
  var receivedUntouched: Int
  /// Payments whose hold ended before the user opened the app.
  var lostToHold: Int
  var processes: Int
  var stoppedAtWork: Int
  var killedAtWork: Int
  var killedForTime: Int
  /// Frozen or killed after the push had its content.
  var struckAfterContent: Int
  /// Claims made because the holder went silent.
  var silentClaims: Int
  /// Time from a push to its notification.
  var waitMedianMs: Int64
  var waitP99Ms: Int64
  var waitLongestMs: Int64
  var peakFootprintBytes: UInt64
  var peakResidentBytes: UInt64

  init(_ outcomes: [PushPlay.Outcome]) {
    func sum(_ count: (PushPlay.Outcome) -> Int) -> Int { outcomes.reduce(0) { $0 + count($1) } }
    let waits = SpanPercentiles(outcomes.flatMap(\.evidence.waits))
    let rows = outcomes.flatMap(\.evidence.processes)
    pushes = sum(\.evidence.pushes.count)
    payments = sum(\.payments)
    receivedUntouched = sum(\.untouched)
    lostToHold = sum(\.lost)
    processes = rows.count
    stoppedAtWork = sum(\.strikes.freezes.count)
    killedAtWork = sum(\.strikes.killed)
    killedForTime = rows.count { $0.endCode == .timeLimit }
    struckAfterContent = sum { $0.strikes.pushes.count(where: $0.evidence.isShownWithContent) }
    silentClaims = sum(\.evidence.silentClaims.count)
    waitMedianMs = waits[50].wholeMilliseconds
    waitP99Ms = waits[99].wholeMilliseconds
    waitLongestMs = waits[100].wholeMilliseconds
    peakFootprintBytes = rows.compactMap(\.peakFootprintBytes).max() ?? 0
    peakResidentBytes = rows.compactMap(\.peakResidentBytes).max() ?? 0
  }

  func text(onPhones phones: Int, took: TimeSpan) -> [String] {
    func span(_ milliseconds: Int64) -> String { HumanText.span(.milliseconds(milliseconds)) }
    return [
      "\(pushes) pushes about \(payments) payments on \(phones) phones in \(HumanText.span(took))",
      "\(receivedUntouched) payments received before the user opened the app, \(lostToHold) lost to the end of their hold",
      "from the push to its notification: median \(span(waitMedianMs)), 99th percentile \(span(waitP99Ms)), maximum \(span(waitLongestMs))",
      "\(processes) extension processes; \(stoppedAtWork) frozen at work, \(killedAtWork) killed at work, \(killedForTime) killed at the time limit, \(struckAfterContent) struck after their content",
      "\(silentClaims) claims because the holder went silent",
      "the extension's peak: footprint \(HumanText.megabytes(peakFootprintBytes)), resident \(HumanText.megabytes(peakResidentBytes))",
    ]
  }
}
