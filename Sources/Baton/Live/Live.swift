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

  private let phone: Phone
  private let loop: EventLoop
  private let side: SideThread
  private let look: LiveLook
  private let watch: DirectoryWatch
  private var timer: LoopTimer?
  private var isLooking = false
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
    do throws(SystemError) {
      try side.perform({ look.take(changed: hadChanged) }) { [unowned self] view in
        isLooking = false
        pausesUntil = loop.now + Self.pause
        onView(view)
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
  private let clock: Clock
  private var pushes: RecentRows<PushRow>
  private var processes: RecentRows<ProcessRow>
  private var notifications: RecentRows<NotificationRow>
  private var events: RecentEvents
  private var container: Result<ContainerReport, ContainerError>?

  package init(_ phone: Phone) {
    self.phone = phone
    clock = phone.clock
    pushes = RecentRows("\(phone.os)/pushes.jsonl", most: Self.rowsMax)
    processes = RecentRows(phone.processLedger, most: 4 * Self.rowsMax)
    notifications = RecentRows("\(phone.os)/notifications.jsonl", most: 4 * Self.rowsMax)
    events = RecentEvents(phone, most: Self.rowsMax)
  }

  /// `changed`: a file of the phone may have changed since the last look.
  package func take(changed: Bool) -> LiveView {
    pushes.update()
    processes.update()
    notifications.update()
    events.update()
    lookIntoContainer(changed: changed)
    var view = LiveView(home: phone.home, wallNs: clock.wallNanoseconds)
    let iosd = DaemonAnswer<PhoneFacts>(to: ControlMessage("status"), from: .iosd, of: phone)
    let lspd = DaemonAnswer<PeerFacts>(to: ControlMessage("status"), from: .lspd, of: phone)
    view.processes = processRows(iosd, lspd)
    view.peer = peer(lspd)
    view.wallet = HomeWallet.name(of: phone)
    fillFromContainer(&view)
    let shown = Set(notifications.rows.compactMap(\.push))
    view.pushes = pushes.rows.reversed().map { push($0, isShown: shown.contains($0.id)) }
    view.pushesCount = pushes.lastID
    view.ends = processes.rows.filter(\.hasEnded).sorted { ($0.endedWallNs ?? 0) > ($1.endedWallNs ?? 0) }
      .prefix(Self.rowsMax).map(end)
    view.events = events.events
    view.problems += events.problems
    return view
  }

  // MARK: The container

  /// A container that no process has open is read from a copy, and only again when a file has changed.
  private func lookIntoContainer(changed: Bool) {
    if !changed, case .success(let report)? = container, !report.snapshot.isLive { return }
    container = Result { () throws(ContainerError) in
      try ContainerReport(of: phone.container, clock: clock, ends: HolderEnds(of: phone), rows: Self.rowsMax)
    }
  }

  private func fillFromContainer(_ view: inout LiveView) {
    switch container {
    case .success(let report)?:
      view.holder = holder(report)
      view.balanceMsat = report.wallet.channels.first?.localMsat
      view.receivableMsat = report.wallet.channels.first?.remoteMsat
      view.payments = payments(report.wallet)
      let received = report.wallet.count(of: "received_payments")
      view.paymentsReceived = received.number
      view.paymentsReceivedIsExact = received.isExact
      view.problems += report.problems
    case .failure(let error)?:
      // Until the first process of the wallet there is nothing to read.
      if processes.rows.isEmpty {
        view.holder.sentence = "no process: the wallet has never run"
      } else {
        view.holder.sentence = "unknown: \(error.description)"
        view.holder.isUnknown = true
      }
    case nil: break
    }
  }

  private func holder(_ report: ContainerReport) -> LiveView.Holder {
    var holder = LiveView.Holder()
    holder.sentence = report.holderSentence
    holder.isHeld = report.verdict.isHeld
    if case .stopped = report.verdict { holder.isStopped = true }
    guard let claim = report.snapshot.claims.last else { return holder }
    holder.role = claim.row.role.rawValue
    holder.pid = claim.row.process.pid
    holder.epoch = claim.row.epoch
    holder.because = report.words(claim)
    holder.claimedAtWallNs = claim.wallClockNanoseconds
    guard let beat = report.ownerBeat else { return holder }
    holder.phase = beat.phase.word
    holder.beat = beat.counter
    holder.beatAtWallNs = beat.wallClockNanoseconds
    return holder
  }

  private func payments(_ wallet: WalletView) -> [LiveView.Payment] {
    let received = wallet.payments.map {
      LiveView.Payment(
        way: "received", id: $0.id, amountMsat: $0.amountMsat, paymentHash: $0.paymentHash, state: "paid",
        atWallNs: $0.receivedWallNs)
    }
    let sent = wallet.sent.map {
      LiveView.Payment(
        way: "sent", id: $0.id, amountMsat: $0.amountMsat, paymentHash: $0.paymentHash, state: $0.state,
        atWallNs: $0.begunWallNs)
    }
    return Array(
      (received + sent).sorted { ($0.atWallNs, $0.way, $0.id) > ($1.atWallNs, $1.way, $1.id) }.prefix(
        Self.rowsMax))
  }

  // MARK: The processes

  private func processRows(
    _ iosd: DaemonAnswer<PhoneFacts>, _ lspd: DaemonAnswer<PeerFacts>
  ) -> [LiveView.Process] {
    let facts = iosd.facts
    let extensionName = processes.rows.last { $0.role == Role.extension.rawValue }?.processName
    return [
      wallet(Role.app.processName, facts?.app),
      wallet(extensionName ?? Role.extension.processName, facts?.extension),
      daemon(.iosd, iosd.trouble(of: .iosd)), daemon(.lspd, lspd.trouble(of: .lspd)),
    ]
  }

  private func wallet(_ name: String, _ facts: WalletFacts?) -> LiveView.Process {
    var row = LiveView.Process(name: name, pid: facts?.pid, state: facts?.state ?? "unknown")
    if let pid = facts?.pid {
      if facts?.isFrozen == true { row.state = "stopped" }
      let memory = MemoryFigures(of: pid)
      row.footprintBytes = memory?.footprintBytes
      row.residentBytes = memory?.residentBytes
    }
    var words = facts?.status?["text"].map { [$0.onOneLine] } ?? []
    if let silence = facts?.silence { words.append(silence) }
    if let push = facts?.push { words.append("push \(push)") }
    if let waiting = facts?.waitingPushes, waiting > 0 { words.append("\(waiting) more waiting") }
    let tasks = facts?.ownTasks ?? []
    if !tasks.isEmpty { words.append("at work on \(tasks.joined(separator: ", ").onOneLine)") }
    row.text = words.isEmpty ? nil : words.joined(separator: "; ")
    return row
  }

  private func daemon(_ daemon: Daemon, _ trouble: String?) -> LiveView.Process {
    guard let pid = DaemonProbe.pid(listeningOn: phone.socket(of: daemon)) else {
      return LiveView.Process(name: daemon.rawValue, state: "not-running", text: trouble?.onOneLine)
    }
    let memory = MemoryFigures(of: pid)
    return LiveView.Process(
      name: daemon.rawValue, pid: pid, state: ProcessTable.isStopped(pid) ? "stopped" : "running",
      footprintBytes: memory?.footprintBytes, residentBytes: memory?.residentBytes, text: trouble?.onOneLine)
  }

  private func peer(_ answer: DaemonAnswer<PeerFacts>) -> LiveView.Peer {
    var peer = LiveView.Peer()
    guard let facts = answer.facts else {
      peer.sentence = (answer.trouble(of: .lspd) ?? "unknown").onOneLine
      return peer
    }
    peer.isConnected = facts.walletConnected
    peer.isEstablished = facts.channelEstablished
    peer.epoch = facts.epoch
    peer.held = facts.held
    peer.offered = facts.offered
    let state =
      !facts.walletConnected
      ? "not connected" : facts.channelEstablished ? "connected, channel established" : "connected"
    peer.sentence = "\(state)\(facts.epoch.map { " (epoch \($0))" } ?? "")"
    if facts.held > 0 { peer.sentence += ", holds \(HumanText.count(facts.held, "payment"))" }
    if facts.offered > 0 {
      let span = facts.offeredForMs.map { " for \(HumanText.span(.milliseconds($0)))" } ?? ""
      peer.sentence += ", \(facts.offered) offered\(span)"
    }
    return peer
  }

  // MARK: Rows of iosd

  private func push(_ row: PushRow, isShown: Bool) -> LiveView.Push {
    let kind = row.isVisible ? "visible" : row.isBadgeOrSound == true ? "badge or sound" : "silent"
    let fate = row.fate ?? (isShown ? "shown" : row.isVisible ? "not shown yet" : "on its way")
    return LiveView.Push(id: row.id, kind: kind, fate: fate.onOneLine, atWallNs: row.wallNs)
  }

  private func end(_ row: ProcessRow) -> LiveView.End {
    LiveView.End(
      process: row.processName, pid: row.pid, wasKilled: row.how == "signalled" || row.hasCrashed == true,
      reason: (row.reason ?? row.how ?? "ended").onOneLine, atWallNs: row.endedWallNs ?? row.startedWallNs)
  }
}

/// The last rows of a file that grows, one for each id, however long the file is.
struct RecentRows<Row: NumberedRow> {
  private let file: GrowingRows<Row>
  private(set) var rows: [Row] = []
  private(set) var lastID: UInt64 = 0
  private let most: Int

  init(_ path: String, most: Int) {
    file = GrowingRows(path)
    self.most = most
  }

  mutating func update() {
    let new = file.next()
    guard !new.isEmpty else { return }
    lastID = max(lastID, new.map(\.id).max() ?? 0)
    rows = (rows + new).lastOfEach.suffix(most)
  }
}

/// The last sentences of the journals, read from their ends.
struct RecentEvents {
  private let journals: String
  private var merger: JournalMerger?
  private var narrator = JournalNarrator()
  private let most: Int
  private(set) var events: [LiveView.Event] = []

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
          LiveView.Event(
            process: entry.process.onOneLine, text: sentence.text, atWallNs: entry.line.header.wall))
      }
    }
    events.removeFirst(max(0, events.count - most))
  }
}
