// Inspection: reads a home and reports on it: container, journals, pushes, verdict.

import DaemonRuntime
import Glibc
import Ground
import Guardrails
import Heartbeat
import PhonePolicy
import SharedContainer

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
  private let ends: HolderEnds
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
    of directory: String, clock: Clock, ends: HolderEnds = HolderEnds(), rows: Int? = rowsMax,
    isThorough: Bool = false, checksIndexes: Bool = false, peerEpoch: Epoch? = nil
  ) throws(ContainerError) {
    func look() throws(ContainerError) -> ContainerReport {
      let depth = SnapshotDepth(
        rowsPerTableMax: rows, isThorough: isThorough, checksIndexes: checksIndexes)
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
    _ snapshot: Snapshot, clock: Clock, ends: HolderEnds = HolderEnds(),
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
    case .failure(let error):
      (self.announced, unread) = ([], [Finding(.announcementsUnreadable, "\(error)")])
    }
    var facts = ContainerFacts(snapshot, verdict, stamps)
    facts.files = files
    facts.peerEpoch = peerEpoch
    findings =
      snapshot.problems.map { Finding($0) } + wallet.problems.map { Finding(.rowInvalid, $0) }
      + ContainerDiagnosis(facts).findings + unread
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
    else {
      return nil
    }
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
      let end = ends.reason(of: holder)
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

/// Why the phone's last processes ended: a claim knows only that its holder died, iosd knows the cause.
package struct HolderEnds: Sendable {
  private let reasons: [Int32: String]
  /// Only the ledger's last lines are read, so that the cost does not grow with its age.
  private static let linesMax = 200

  package init() { reasons = [:] }

  package init(of phone: Phone) {
    let lines = FilePath.lastLines(of: phone.processLedger, count: Self.linesMax)
    let rows = lines.compactMap { ProcessRow(json: $0.utf8) }
    reasons = Dictionary(rows.compactMap { row in row.reason.map { (row.pid, $0) } }) { _, last in last }
  }

  /// Why the holder ended; nil if the phone has no row of it.
  package func reason(of holder: ClaimRow) -> String? { reasons[holder.process.pid] }
}
