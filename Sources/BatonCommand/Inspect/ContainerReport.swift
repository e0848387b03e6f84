import CoreShape
import DaemonRuntime
import Guardrails
import Heartbeat
import SharedContainer

/// A container in words and in JSON: who holds the node and why, what is in it, and what is wrong with it.
struct ContainerReport: Sendable {
  let snapshot: Snapshot
  let verdict: HolderVerdict
  let wallet: WalletView
  let problems: [String]
  private let bootClock: Instant
  private let boot: BootID
  private let wallNanoseconds: Int64

  /// The clock is the phone's where there is one: stamps are compared with it.
  init(of directory: String, clock: Clock) throws(ContainerError) {
    self.init(try Snapshot.take(of: directory, rowsPerTableMax: 100_000), clock: clock)
  }

  init(_ snapshot: Snapshot, clock: Clock) {
    self.snapshot = snapshot
    bootClock = clock.bootClock
    boot = clock.boot
    wallNanoseconds = clock.wallNanoseconds
    verdict = HolderVerdict(snapshot, bootClock: bootClock)
    wallet = WalletView(snapshot.tables)
    problems = snapshot.problems + wallet.problems + ContainerProblems.find(in: snapshot)
  }

  var holderSentence: String { verdict.sentence(snapshot.owner, isLive: snapshot.isLive) }

  /// How long ago the owner claimed; nil when that was in another boot.
  var heldFor: Span? {
    guard let claim = snapshot.claims.last, claim.row.process.boot == boot else { return nil }
    return max(.zero, bootClock - claim.bootClock)
  }

  /// The owner's slot, if it carries the owner's epoch.
  var ownerBeat: Beat? {
    guard let owner = snapshot.owner, let beat = snapshot.beat(of: owner.role), beat.epoch == owner.epoch
    else {
      return nil
    }
    return beat
  }

  func age(of beat: Beat) -> String {
    beat.process.boot == boot
      ? "\(HumanText.span(bootClock - beat.bootClock)) ago"
      : "in another boot, at \(WallClockText.write(beat.wallClockNanoseconds))"
  }

  func words(_ lock: LockFacts) -> String {
    guard lock.exists else { return "missing" }
    return lock.holders.isEmpty
      ? "free" : "held by \(lock.holders.map(String.init).joined(separator: " and "))"
  }

  func words(_ beat: Beat?) -> String {
    guard let beat else { return "no beat" }
    return
      "epoch \(beat.epoch), \(beat.phase.word), beat \(beat.counter) by \(beat.process.pid), \(age(of: beat))"
  }

  func isExpired(_ invoice: WalletView.InvoiceFacts) -> Bool {
    wallNanoseconds / 1_000_000_000 >= invoice.expiresAt
  }
}
