// Baton/Live: a running phone as it is now, written once for `baton watch`, which draws it, and for `baton serve`, which
// streams it. It only reads, except for `LiveHand`, which does what the user of a screen asks for. It decides nothing
// about ownership, and links no HTTP.

import DaemonRuntime
import Ground
import Guardrails
import PhonePolicy
import SharedContainer

/// Looks at a phone whenever something in its directory has changed, and at least once a second, on a thread of its own:
/// a stopped daemon may take seconds to be found silent, and no screen may wait for that.
package final class LiveFeed {
  /// Memory and ages change without a file's change.
  private static let lookAtLeast = TimeSpan.seconds(1)
  /// A payment changes files a hundred times.
  private static let pause = TimeSpan.milliseconds(150)
  /// This process was stopped during a look that took longer: the phone is another one by now.
  private static let lookAtMost = TimeSpan.seconds(3)

  private let phone: Phone
  private let loop: EventLoop
  private let side: SideThread
  private let look: LiveLook
  private let watch: DirectoryWatch
  private var timer: LoopTimer?
  private var isLooking = false
  private var looksAgain = false
  private var hasChanged = true
  private var pausesUntil = Instant(nanoseconds: .min)
  private let onView: (LiveView) -> Void
  private let onFailure: (SystemError) -> Void

  package init(
    _ phone: Phone, loop: EventLoop, onView: @escaping (LiveView) -> Void,
    onFailure: @escaping (SystemError) -> Void
  ) throws(SystemError) {
    self.phone = phone
    self.loop = loop
    self.onView = onView
    self.onFailure = onFailure
    side = SideThread(loop: loop)
    look = LiveLook(phone)
    watch = try DirectoryWatch(Self.directories(of: phone), seesCloses: false)
    try loop.watch(watch.descriptor, .readable) { [unowned self] _ in changed() }
    next()
  }

  private static func directories(of phone: Phone) -> [String] {
    [phone.home, phone.container, phone.journal, phone.os, phone.lsp]
  }

  /// Stops looking; a look that is under way ends first, as it may have made a scratch copy.
  package func stop() {
    timer?.cancel()
    loop.unwatch(watch.descriptor)
    side.finish(within: .seconds(1))
  }

  /// After an action: the answer is on the screen before the next second.
  package func lookSoon() {
    hasChanged = true
    schedule()
  }

  private func changed() {
    do throws(SystemError) { try watch.wait(until: loop.now) } catch { return onFailure(error) }
    // Directories that were missing at the start.
    for directory in Self.directories(of: phone) where !watch.isWatching(directory) { watch.add(directory) }
    guard !hasChanged else { return }
    lookSoon()
  }

  private func schedule() {
    guard !isLooking else { return }
    timer?.cancel()
    let earliest = max(loop.now, pausesUntil)
    timer = loop.at(hasChanged ? earliest : earliest + Self.lookAtLeast) { [unowned self] in next() }
  }

  private func next() {
    guard !isLooking else { return }
    isLooking = true
    let look = look
    let hadChanged = hasChanged
    hasChanged = false
    let begun = loop.now
    do throws(SystemError) {
      try side.perform({ look.take(changed: hadChanged) }) { [unowned self] view in
        isLooking = false
        pausesUntil = loop.now + Self.pause
        // Once: on a slow machine an old view is better than none.
        looksAgain = !looksAgain && loop.now - begun > Self.lookAtMost
        if looksAgain { hasChanged = true } else { onView(view) }
        schedule()
      }
    } catch { onFailure(error) }
  }
}

/// Takes one look after the other. It keeps what it has read of files that only grow, so a look costs the same however
/// old the phone is. Used by one thread at a time.
package final class LiveLook: @unchecked Sendable {
  /// More than any screen shows.
  private static let rowsMax = 60

  private let phone: Phone
  private var pushes: RecentRows<PushRow>
  private var processes: RecentRows<ProcessRow>
  private var notifications: RecentRows<NotificationRow>
  private var events: RecentEvents
  private var container: Result<ContainerReport, ContainerError>?

  package init(_ phone: Phone) {
    self.phone = phone
    pushes = RecentRows("\(phone.os)/pushes.jsonl")
    processes = RecentRows(phone.processLedger)
    notifications = RecentRows("\(phone.os)/notifications.jsonl")
    events = RecentEvents(phone, most: Self.rowsMax)
  }

  /// `changed`: a file of the phone may have changed since the last look.
  package func take(changed: Bool) -> LiveView {
    pushes.update()
    processes.update()
    notifications.update()
    events.update()
    var view = LiveView(RunView(phone, container: lookIntoContainer(changed: changed)), RecentRun())
    view.processes = processRows(view.first)
    if case .success(let report)? = container {
      view.payments = Array(PaymentList.rows(of: report.wallet).prefix(Self.rowsMax))
      let received = report.wallet.count(of: "received_payments")
      (view.paymentsReceived, view.paymentsReceivedIsExact) = (received.number, received.isExact)
    }
    let shown = Set(notifications.rows.compactMap(\.push))
    view.pushes = pushes.rows.suffix(Self.rowsMax).reversed().map { push($0, isShown: shown.contains($0.id)) }
    view.pushesCount = pushes.lastID
    view.ends = processes.rows.filter(\.hasEnded).sorted { ($0.endedWallNs ?? 0) > ($1.endedWallNs ?? 0) }
      .prefix(Self.rowsMax).map(end)
    view.events = events.events
    view.problems += events.problems
    return view
  }

  // MARK: The container

  /// A container that no process has open is read from a copy, and only again when a file has changed.
  private func lookIntoContainer(changed: Bool) -> Result<ContainerReport, ContainerError> {
    if !changed, case .success(let report)? = container, !report.snapshot.isLive { return .success(report) }
    let new = Result { () throws(ContainerError) in
      try ContainerReport(
        of: phone.container, clock: phone.clock, ends: phone.endReasons, rows: Self.rowsMax)
    }
    container = new
    return new
  }

  // MARK: The processes

  private func processRows(_ view: RunView) -> [RecentRun.Process] {
    let extensionName = processes.rows.last { $0.role == Role.extension.rawValue }?.processName
    return [
      wallet(Role.app.processName, view.iosd?.app, view.iosdRunning),
      wallet(extensionName ?? Role.extension.processName, view.iosd?.extension, view.iosdRunning),
      daemon(.iosd, view.iosdTrouble), daemon(.lspd, view.lspdTrouble),
    ]
  }

  private func wallet(_ name: String, _ facts: WalletFacts?, _ isKnown: Bool) -> RecentRun.Process {
    let memory = (facts?.pid).flatMap { MemoryFigures(of: $0) }
    let words = ([facts?.status?["text"]].compactMap { $0 } + (facts?.works ?? [])).map(\.onOneLine)
    return RecentRun.Process(
      name: name, pid: facts?.pid,
      state: facts?.isFrozen == true ? "stopped" : facts?.state ?? (isKnown ? "unknown" : "not-running"),
      footprintBytes: memory?.footprintBytes, residentBytes: memory?.residentBytes,
      text: words.isEmpty ? nil : words.joined(separator: "; "))
  }

  private func daemon(_ daemon: Daemon, _ trouble: String?) -> RecentRun.Process {
    guard let pid = DaemonProbe.pid(listeningOn: phone.socket(of: daemon)) else {
      return RecentRun.Process(name: daemon.rawValue, state: "not-running", text: trouble?.onOneLine)
    }
    let memory = MemoryFigures(of: pid)
    return RecentRun.Process(
      name: daemon.rawValue, pid: pid, state: ProcessTable.isStopped(pid) ? "stopped" : "running",
      footprintBytes: memory?.footprintBytes, residentBytes: memory?.residentBytes, text: trouble?.onOneLine)
  }

  // MARK: Rows of iosd

  private func push(_ row: PushRow, isShown: Bool) -> RecentRun.Push {
    let fate = row.fate ?? (isShown ? "shown" : row.isVisible ? "not shown yet" : "on its way")
    return RecentRun.Push(id: row.id, kind: row.kind, fate: fate.onOneLine, atWallNs: row.wallNs)
  }

  private func end(_ row: ProcessRow) -> RecentRun.End {
    RecentRun.End(
      process: row.processName, pid: row.pid, wasKilled: row.how == "signalled" || row.hasCrashed == true,
      reason: (row.reason ?? row.how ?? "ended").onOneLine, atWallNs: row.endedWallNs ?? row.startedWallNs)
  }
}

/// The newest rows of a file that grows, one for each id, however long the file is.
struct RecentRows<Row: NumberedRow> {
  private let file: GrowingRows<Row>
  private var newest = NewestRows<Row>()

  var rows: [Row] { newest.rows }
  var lastID: UInt64 { newest.nextID - 1 }

  init(_ path: String) { file = GrowingRows(path) }

  mutating func update() {
    for row in file.next() { newest.keep(row) }
  }
}

/// The last sentences of the journals, read from their ends.
struct RecentEvents {
  private let journals: String
  private var merger: JournalMerger?
  private var narrator = JournalNarrator()
  private let most: Int
  private(set) var events: [RecentRun.Event] = []

  init(_ phone: Phone, most: Int) {
    journals = phone.journal
    self.most = most
  }

  /// Journals that cannot be read.
  var problems: [String] { merger?.problems ?? [] }

  mutating func update() {
    if let merger { return add(merger.readNew(), of: merger) }
    merger = JournalMerger.newest(in: journals) { merger, entries in
      (narrator, events) = (JournalNarrator(), [])
      add(entries, of: merger)
      return events.count == most
    }
  }

  private mutating func add(_ entries: [JournalMerger.Entry], of merger: JournalMerger) {
    for entry in entries {
      let sentences = narrator.sentences(for: entry)
      guard merger.isWhole(entry) else { continue }
      for sentence in sentences where sentence.matters {
        events.append(
          RecentRun.Event(
            process: entry.process.onOneLine, text: sentence.text, atWallNs: entry.line.header.wall))
      }
    }
    events.removeFirst(max(0, events.count - most))
  }
}
