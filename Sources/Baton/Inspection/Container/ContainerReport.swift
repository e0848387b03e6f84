// Baton/Inspection: reads a home and reports on it: container, journals, pushes, verdict.

import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Heartbeat
import PhonePolicy
import SharedContainer
import Wallet
import WalletProcess

/// A report on a container as text and JSON: the node's holder and why, contents, problems.
package struct ContainerReport: Sendable {
  package let snapshot: Snapshot
  package let verdict: HolderVerdict
  package let wallet: WalletView
  /// Payments that an extension without a node has announced, and that the app has not taken yet.
  package let announced: [IncomingEntry]
  /// What is wrong, in the order in which it was found.
  package let findings: [Finding]
  /// All rows were read, not only the last ones.
  let isThorough: Bool
  private let ends: [Int32: String]
  private let stamps: StampClock
  private let wallNanoseconds: Int64
  /// The rows read per table unless all are requested.
  package static let rowsMax = 100

  /// How often, and after which pauses, a container is read again while it shows what may pass in a moment.
  private static let looksMax = 5
  private static let pauseMs: Int32 = 20

  /// `clock` is the phone's, if there is a phone; timestamps are compared with it. `peerEpoch` must have been read
  /// before: claims only grow.
  package init(
    of directory: String, clock: Clock, ends: [Int32: String] = [:], rows: Int? = rowsMax,
    isThorough: Bool = false, checksIndexes: Bool = false, peerEpoch: Epoch? = nil
  ) throws(ContainerError) {
    func look() throws(ContainerError) -> ContainerReport {
      let depth = SnapshotDepth(rowsPerTableMax: rows, isThorough: isThorough, checksIndexes: checksIndexes)
      return ContainerReport(
        try Snapshot.take(of: directory, depth: depth, queries: WalletQueries.all(rowsPerTableMax: rows)),
        clock: clock, ends: ends, announced: Result { try IncomingStore.look(in: directory) },
        isThorough: isThorough, files: ContainerFiles.marks(in: directory), peerEpoch: peerEpoch)
    }
    var report = try look()
    for _ in 1..<Self.looksMax where report.findings.contains(where: { $0.kind.isOftenPassing }) {
      poll(nil, 0, Self.pauseMs)
      report = try look()
    }
    self = report
  }

  package init(
    _ snapshot: Snapshot, clock: Clock, ends: [Int32: String] = [:],
    announced: Result<[IncomingEntry], any Error> = .success([]), isThorough: Bool = false,
    files: [FileMark] = [], peerEpoch: Epoch? = nil
  ) {
    self.snapshot = snapshot
    self.ends = ends
    self.isThorough = isThorough
    stamps = StampClock(phone: clock)
    wallNanoseconds = clock.wallNanoseconds
    verdict = HolderVerdict(snapshot, stamps)
    wallet = WalletView(snapshot.tables)
    let unread: [Finding]
    switch announced {
    case .success(let entries): (self.announced, unread) = (entries, [])
    case .failure(let error): (self.announced, unread) = ([], [Finding(.announcementsUnreadable, "\(error)")])
    }
    var facts = ContainerFacts(snapshot, verdict, stamps)
    facts.files = files
    facts.peerEpoch = peerEpoch
    findings =
      snapshot.problems.map { Finding($0) } + wallet.problems.map { Finding(.rowInvalid, $0) }
      + facts.findings + unread
  }

  /// Sentences for users.
  package var problems: [String] { findings.problems.map(\.sentence) }

  package var holderSentence: String { verdict.sentence(snapshot.owner, isLive: snapshot.isLive) }

  /// How long ago the owner claimed; nil if in another boot.
  var heldFor: TimeSpan? {
    snapshot.claims.last.flatMap { stamps.age(of: $0.bootClock, in: $0.row.process.boot) }
  }

  /// The owner's slot, if it carries the owner's epoch.
  package var ownerBeat: Beat? {
    guard let owner = snapshot.owner, let beat = snapshot.beat(of: owner.role), beat.epoch == owner.epoch
    else { return nil }
    return beat
  }

  package func age(of beat: Beat) -> String { stamps.words(beat) }

  /// The claim's reason as a sentence; an unknown reason is shown as stored. If the previous holder died, with the
  /// phone's reason for its end.
  package func words(_ claim: ClaimRecord) -> String {
    let reason = ClaimReason(rawValue: claim.reason)
    let sentence = reason?.sentence ?? claim.reason
    guard reason == .holderDied,
      let holder = snapshot.claims.last(where: { $0.row.epoch == claim.seen })?.row,
      let end = ends[holder.process.pid]
    else { return sentence }
    return "\(sentence) (\(end))"
  }

  package func words(_ lock: LockFacts) -> String {
    guard lock.exists else { return "missing" }
    return lock.holders.isEmpty
      ? "free" : "held by \(lock.holders.map(String.init).joined(separator: " and "))"
  }

  package func words(_ beat: Beat?, of role: Role) -> String {
    guard let beat else { return snapshot.damagedBeats.contains(role) ? "damaged" : "no beat" }
    return
      "epoch \(beat.epoch), \(beat.phase.word), beat \(beat.counter) by process \(beat.process.pid), \(age(of: beat))"
  }

  package func isExpired(_ invoice: WalletView.InvoiceFacts) -> Bool {
    wallNanoseconds / 1_000_000_000 >= invoice.expiresAt
  }
}

extension Phone {
  /// Of the ledger of processes, so that the cost does not grow with its age.
  private static let lastLines = 200

  /// Why its last processes ended: a claim knows only that its holder died, iosd knows the cause.
  package var endReasons: [Int32: String] {
    let lines = FilePath.lastLines(of: processLedger, count: Self.lastLines)
    let rows = lines.compactMap { ProcessRow(json: $0.utf8) }
    return Dictionary(rows.compactMap { row in row.reason.map { (row.pid, $0) } }) { _, last in last }
  }
}

extension IncomingRecord: Report {}

/// The report as JSON.
extension ContainerReport {
  struct Document: Report {
    var directory: String
    /// A process has the container open.
    var inUse: Bool
    var container: String?
    var schema: Int64
    var holder: Holder
    var appWantsNode: Bool
    /// The process inside a transaction.
    var writer: Int32?
    var writes: Int64
    /// There are older claims than those listed.
    var olderClaims: Bool
    var claims: [Claim]
    var locks: Locks
    var heartbeat: Beats
    var channels: [WalletView.ChannelFacts]
    var invoices: [WalletView.InvoiceFacts]
    var paymentsCount: Int64
    var paymentsCountIsExact: Bool
    var payments: [WalletView.PaymentFacts]
    var sent: [WalletView.SentFacts]
    var splices: [WalletView.SpliceFacts]
    /// The payments that a push announced.
    var announced: [Joined<IncomingRecord, Arrival>]
    var everyPageChecked: Bool
    /// The findings that are no notes, as sentences.
    var problems: [String]
    /// The gravest first.
    var findings: [Finding.Document]
  }

  /// The node's holder, or its last one.
  package struct Holder: Report, Hashable {
    package var verdict: String
    package var sentence: String
    /// Its role lock is held.
    package var isHeld = false
    package var epoch: UInt64?
    /// app or extension; missing before the first claim.
    package var role: String?
    package var pid: Int32?
    package var reason: String?
    /// `reason` as a sentence.
    package var because: String?
    package var claimedWallNs: Int64?
    package var claimedAgoMs: Int64?
    package var lockHeld: Bool?
    package var phase: String?
    package var beatCounter: UInt64?
    package var beatWallNs: Int64?

    /// By a signal or a debugger.
    package var isStopped: Bool { verdict == HolderVerdict.stopped(age: nil).word }
  }

  struct Arrival: Report {
    /// In seconds since 1970: the first push for this payment.
    var arrivedAt: Int64
  }

  struct Claim: Report {
    var epoch: UInt64
    var role: String
    var pid: Int32
    var startTime: UInt64
    /// 16 hexadecimal digits.
    var incarnation: String
    /// The epoch that the claimant had read; 0 for none.
    var seenEpoch: UInt64
    var reason: String
    var because: String
    var claimedWallNs: Int64
  }

  struct Lock: Report {
    var exists: Bool
    /// The pids that hold the lock.
    var holders: [Int32]

    init(_ facts: LockFacts) { (exists, holders) = (facts.exists, facts.holders) }
  }

  struct Locks: Report {
    var app: Lock
    var `extension`: Lock
    var appIntent: Lock
  }

  struct BeatFacts: Report {
    var epoch: UInt64
    var phase: String
    var counter: UInt64
    var pid: Int32
    var wallNs: Int64

    init(_ beat: Beat) {
      epoch = beat.epoch
      phase = beat.phase.word
      counter = beat.counter
      pid = beat.process.pid
      wallNs = beat.wallClockNanoseconds
    }
  }

  struct Beats: Report {
    var app: BeatFacts?
    var `extension`: BeatFacts?
  }

  var document: Document {
    let count = wallet.count(of: "received_payments")
    return Document(
      directory: snapshot.directory, inUse: snapshot.isLive, container: snapshot.container.map(Self.hex),
      schema: snapshot.schemaVersion, holder: holder, appWantsNode: snapshot.appWantsNode,
      writer: snapshot.writer?.pid, writes: snapshot.writes.count, olderClaims: snapshot.hasOlderClaims,
      claims: snapshot.claims.map(claim),
      locks: Locks(
        app: Lock(snapshot.appLock), extension: Lock(snapshot.extensionLock),
        appIntent: Lock(snapshot.appIntent)),
      heartbeat: Beats(
        app: snapshot.appBeat.map(BeatFacts.init), extension: snapshot.extensionBeat.map(BeatFacts.init)),
      channels: wallet.channels, invoices: wallet.invoices, paymentsCount: count.number,
      paymentsCountIsExact: count.isExact, payments: wallet.payments, sent: wallet.sent,
      splices: wallet.splices,
      announced: announced.map { Joined($0.record, Arrival(arrivedAt: $0.arrivedAt)) },
      everyPageChecked: snapshot.hasCheckedPages, problems: problems,
      findings: findings.worstFirst.map(\.document))
  }

  package var holder: Holder {
    var holder = Holder(verdict: verdict.word, sentence: holderSentence, isHeld: verdict.isHeld)
    guard let claim = snapshot.claims.last else { return holder }
    holder.epoch = claim.row.epoch
    holder.role = claim.row.role.rawValue
    holder.pid = claim.row.process.pid
    holder.reason = ClaimReason(rawValue: claim.reason)?.rawValue ?? claim.reason
    holder.because = words(claim)
    holder.claimedWallNs = claim.wallClockNanoseconds
    holder.claimedAgoMs = heldFor?.wholeMilliseconds
    holder.lockHeld = !snapshot.lock(of: claim.row.role).holders.isEmpty
    holder.phase = ownerBeat?.phase.word
    (holder.beatCounter, holder.beatWallNs) = (ownerBeat?.counter, ownerBeat?.wallClockNanoseconds)
    return holder
  }

  private func claim(_ claim: ClaimRecord) -> Claim {
    Claim(
      epoch: claim.row.epoch, role: claim.row.role.rawValue, pid: claim.row.process.pid,
      startTime: claim.row.process.startTime, incarnation: Hexadecimal.encode(word: claim.row.incarnation),
      seenEpoch: claim.seen, reason: ClaimReason(rawValue: claim.reason)?.rawValue ?? claim.reason,
      because: words(claim), claimedWallNs: claim.wallClockNanoseconds)
  }
}

/// The report as text.
extension ContainerReport {
  /// Prints the last `rows` rows of each kind; nil for all.
  package func tell(_ output: Output, rows: Int?) {
    var facts: [(String, String)] = [
      ("container", "\(snapshot.directory) (\(snapshot.isLive ? "in use" : "not in use, or a copy"))"),
      ("id", snapshot.container.map(Self.hex) ?? "none"), ("schema", "\(snapshot.schemaVersion)"),
      ("holder", holderSentence),
    ]
    facts += ownerFacts
    facts += [
      ("intent", snapshot.appWantsNode ? "the app wants the node" : "none"),
      ("writer", snapshot.writer.map { "\($0)" } ?? "no process is inside a transaction"),
      ("writes", writesWords),
    ]
    output.facts(facts)
    section(
      "locks", output,
      [
        ("app.lock", words(snapshot.appLock)), ("extension.lock", words(snapshot.extensionLock)),
        ("app.intent", words(snapshot.appIntent)),
      ])
    section(
      "heartbeat", output,
      [
        ("app", words(snapshot.appBeat, of: .app)),
        ("extension", words(snapshot.extensionBeat, of: .extension)),
      ])
    tellClaims(output, rows)
    tellWallet(output, rows)
    tellRecords(output, rows)
    tellProblems(output)
  }

  /// Reason and time of the last claim, and the owner's last beat.
  package var ownerFacts: [(String, String)] {
    guard let claim = snapshot.claims.last else { return [] }
    var facts = [
      ("epoch", "\(claim.row.epoch)"), ("claimed because", words(claim)),
      (
        "claimed",
        heldFor.map { "\(HumanText.span($0)) ago" } ?? WallClockText.write(claim.wallClockNanoseconds)
      ),
    ]
    if let beat = ownerBeat { facts.append(("phase", "\(beat.phase.word), last beat \(age(of: beat))")) }
    return facts
  }

  var writesWords: String {
    guard let last = snapshot.writes.last else { return "none" }
    return "\(snapshot.writes.count), the last under epoch \(last.epoch): \(WriteSentence.of(last.what))"
  }

  private func section(_ title: String, _ output: Output, _ rows: [(String, String)]) {
    output.say("\n\(output.paint(title, .bold))")
    output.facts(rows.map { ("  \($0.0)", $0.1) })
  }

  /// A section's title with the number of rows, as far as they were counted, and of those shown.
  private func title(_ what: String, shown: Int, of count: RowCount, also words: String? = nil) -> String {
    let number = HumanText.grouped(UInt64(max(0, count.number)))
    let isPart = !count.isExact || shown < count.number
    let parts = [
      count.isExact ? number : "more than \(number)", isPart ? "the last \(shown)" : nil,
      isPart ? nil : words,
    ]
    return "\(what) (\(parts.compactMap { $0 }.joined(separator: ", ")))"
  }

  private func last<Element>(_ rows: Int?, of all: [Element]) -> ArraySlice<Element> {
    rows.map { all.suffix($0) } ?? all[...]
  }

  private func tellClaims(_ output: Output, _ rows: Int?) {
    let shown = last(rows, of: snapshot.claims)
    let count = RowCount(Int64(snapshot.claims.count), isExact: !snapshot.hasOlderClaims)
    output.say("\n\(output.paint(title("claims", shown: shown.count, of: count), .bold))")
    if shown.isEmpty { return output.say("  none") }
    output.table(
      [["  EPOCH", "WHO", "PID", "WHEN", "WHY"]]
        + shown.map { claim in
          [
            "  \(claim.row.epoch)", claim.row.role.processName, "\(claim.row.process.pid)",
            WallClockText.write(claim.wallClockNanoseconds), words(claim),
          ]
        })
  }

  private func tellWallet(_ output: Output, _ rows: Int?) {
    section(
      "channel", output,
      wallet.channels.isEmpty
        ? [("none yet", "")]
        : wallet.channels.flatMap { channel in
          [
            ("id", channel.id), ("balance", HumanText.amount(msat: channel.localMsat)),
            ("can receive", HumanText.amount(msat: channel.remoteMsat)), ("revision", "\(channel.revision)"),
            ("pending HTLCs", "\(channel.htlcs)"),
          ]
        })
    let open = wallet.invoices.filter(\.isOpen)
    section(
      invoicesTitle(open.count), output,
      last(rows, of: open).map { invoice in
        (
          invoice.amountMsat == Invoice.anyAmount ? "any amount" : HumanText.amount(msat: invoice.amountMsat),
          "\(invoice.paymentHash)\(invoice.text.isEmpty ? "" : "  \(invoice.text)")\(isExpired(invoice) ? "  (expired)" : "")"
        )
      })
  }

  /// Open and paid are counted among the invoices that were read.
  private func invoicesTitle(_ open: Int) -> String {
    let read = wallet.invoices.count
    let count = wallet.count(of: "invoices")
    let paid = wallet.invoices.count(where: \.isPaid)
    let cancelled = read - open - paid
    if count.isExact && count.number == read {
      return "invoices (\(open) open, \(paid) paid\(cancelled == 0 ? "" : ", \(cancelled) cancelled"))"
    }
    let number = HumanText.grouped(UInt64(max(0, count.number)))
    return "invoices (\(count.isExact ? number : "more than \(number)"); of the last \(read), \(open) open)"
  }

  /// Payments and what else the wallet has, by kind. Claims and invoices have lists of their own.
  private func tellRecords(_ output: Output, _ rows: Int?) {
    for set in records.dropFirst(2) where !set.rows.isEmpty || set.kind == Self.received {
      let shown = last(rows, of: set.rows)
      let sum = set.kind == Self.received ? HumanText.amount(msat: wallet.receivedMsat) : nil
      section(
        title(set.kind, shown: shown.count, of: RowCount(set.number, isExact: set.isExact), also: sum),
        output,
        shown.map { ($0.key, $0.words) })
    }
  }

  private func tellProblems(_ output: Output) {
    output.say("\n\(output.paint("problems", .bold))")
    if !snapshot.hasCheckedPages {
      output.say("  not every page of the database was checked, as it is large; `--check` checks all")
    }
    if problems.isEmpty { output.say("  none found") }
    for problem in findings.worstFirst.problems {
      output.say("  \(output.paint(problem.sentence.onOneLine, .red))")
    }
    for finding in findings where finding.gravity == .note { output.say("  note: \(finding.sentence)") }
  }

  package static func hex(_ id: ContainerID) -> String { Hexadecimal.encode(id.bytes) }
}

/// What a write did, as text. An unknown code is shown as stored: other wallets have their own.
enum WriteSentence {
  static func of(_ code: String) -> String {
    WriteCode.read(code)?.map(words).joined(separator: ", ") ?? code
  }

  private static func words(_ part: WriteCode.Part, _ number: UInt64) -> String {
    let payments = HumanText.count(Int(clamping: number), "payment")
    return switch part {
    case .restored: "restored from the peer's backup"
    case .revision: "channel revision \(number)"
    case .invoice: "new invoice"
    case .cancelled: "invoice cancelled"
    case .received: "\(payments) received"
    case .offered: "\(HumanText.count(Int(clamping: number), "outgoing payment")) begun"
    case .ended: "\(HumanText.count(Int(clamping: number), "outgoing payment")) ended"
    case .waiting: number == 0 ? "no payment lacks parts any more" : "\(payments) with parts missing"
    case .failed: "channel failed by the peer"
    }
  }
}
