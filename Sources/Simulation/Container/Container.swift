import Ground
import Guardrails
import Heartbeat
import Lightning
import Wallet

/// The App Group directory as a value: the row, the node's state, locks, intent and beats. Tables are durable; locks
/// and the intent end with their process.
public struct Container: Hashable, Sendable {
  public let id: ContainerID
  public internal(set) var row: ClaimRow?
  public internal(set) var node = NodeState()
  /// Outgoing payments that are paid, or whose outcome is lost.
  public internal(set) var past = PastPayments()
  var waits: [Wait] = []
  /// Received payments, in order.
  public internal(set) var received: [Receipt] = []
  /// The payments that an extension without a node has announced, in the order of their first announcement.
  public internal(set) var incoming: [IncomingRecord] = []
  /// Payment hashes of cancelled invoices. A backup with one of them open does not reopen it.
  var cancelled: [Bytes32] = []
  /// The process that holds the lock file at a role's path. A lock on a replaced file no longer counts.
  var locks = PerRole<Int32?>(nil, nil)
  /// The process that holds the intent.
  var intent: Int32?
  package var beats = PerRole<Beat?>(nil, nil)
  /// The process that is frozen inside a transaction.
  var writer: Int32?

  public init(id: ContainerID) { self.id = id }
}

extension Container {
  mutating func followInvoices(_ change: NodeChange) {
    if let hash = change.cancelled, !cancelled.contains(hash) { cancelled.append(hash) }
    node.followInvoices(change)
    guard change.restored != nil else { return }
    let closed = cancelled + received.map(\.invoice.paymentHash)
    node.invoices.removeAll { closed.contains($0.paymentHash) }
  }

  /// Once per hash: a later announcement of the same payment keeps the record's place.
  mutating func store(_ record: IncomingRecord) {
    if let index = incoming.firstIndex(where: { $0.paymentHash == record.paymentHash }) {
      incoming[index] = record
    } else {
      incoming.append(record)
    }
  }

  /// Only records that are as they were read. Returns the payments whose record is another.
  mutating func removeIncoming(_ records: [IncomingRecord]) -> [Bytes32] {
    incoming.removeAll { records.contains($0) }
    return records.map(\.paymentHash).filter { hash in incoming.contains { $0.paymentHash == hash } }
  }

  /// Closes payments by a channel from the peer's backup.
  mutating func follow(_ channel: Channel) { past.follow(channel, &node.payments) }

  /// Received.
  func has(_ hash: Bytes32) -> Bool { received.contains { $0.invoice.paymentHash == hash } }

  /// Received, and its HTLC is removed: the peer has the preimage.
  func isSettled(_ hash: Bytes32) -> Bool {
    has(hash) && !(node.channel?.htlcs ?? []).contains { $0.direction == .received && $0.paymentHash == hash }
  }

  /// A file on which the process holds an exclusive lock.
  func lockedFile(of pid: Int32) -> String? {
    if locks.app == pid { return "locks/app.lock" }
    if locks.notifier == pid { return "locks/extension.lock" }
    if intent == pid { return "locks/app.intent" }
    return writer == pid ? Self.databaseLock : nil
  }

  /// The file that SQLite locks.
  static let databaseLock = "node.sqlite-shm"
  /// The words of the real phone.
  static let openRead = "node.sqlite (an open read transaction)"
}

// The operations of `SharedContainer` on a value. `ConformanceTests` runs the same steps through both.
extension Container {
  public struct Claimant: Hashable, Sendable {
    public var role: Role
    public var process: ProcessIdentity
    public var incarnation: UInt64

    public init(role: Role, process: ProcessIdentity, incarnation: UInt64) {
      self.role = role
      self.process = process
      self.incarnation = incarnation
    }
  }

  public enum ClaimAnswer: Hashable, Sendable {
    case claimed(Claim)
    case superseded
    case ownLockBusy
    /// The process `by` is inside a transaction.
    case blocked(by: Int32)
    case refused
  }

  public enum WriteAnswer: Hashable, Sendable {
    case allowed
    case fenced
    case blocked(by: Int32)
  }

  public mutating func claim(seen: Epoch, by claimant: Claimant, without: Rules = Rules()) -> ClaimAnswer {
    let highest = row?.epoch ?? 0
    return write(highest + 1, by: claimant) {
      $0.row?.epoch ?? 0 == seen || without.contains(.compareAndSet) ? nil : .superseded
    }
  }

  public mutating func raise(_ claim: Claim, above known: Epoch, by claimant: Claimant) -> ClaimAnswer {
    write(known &+ 1, by: claimant) { container in
      guard claim.owns(container.row), container.row?.container == claim.container else { return .superseded }
      return claim.mayRaise(above: known) ? nil : .refused
    }
  }

  /// The order of refusals: own lock, transaction, check.
  private mutating func write(
    _ epoch: Epoch, by claimant: Claimant, unless refusal: (Container) -> ClaimAnswer?
  ) -> ClaimAnswer {
    let pid = claimant.process.pid
    guard canTakeLock(claimant.role, pid) else { return .ownLockBusy }
    if let writer, writer != pid { return .blocked(by: writer) }
    writer = nil
    if let refusal = refusal(self) { return refusal }
    locks[claimant.role] = pid
    row = ClaimRow(
      epoch: epoch, role: claimant.role, process: claimant.process, incarnation: claimant.incarnation,
      container: id)
    return .claimed(Claim(epoch: epoch, incarnation: claimant.incarnation, container: id))
  }

  public func isLockBusy(_ role: Role) -> Bool { locks[role] != nil }

  func canTakeLock(_ role: Role, _ pid: Int32) -> Bool {
    let holder = locks[role]
    return holder == nil || holder == pid
  }

  /// Whether this is the claim in force.
  func isOwned(by claim: Claim?) -> Bool { row?.isOf(claim) ?? false }

  /// Whether a write under this claim is allowed. Ends the transaction in which the process was frozen.
  public mutating func beginWrite(under claim: Claim, by pid: Int32) -> WriteAnswer {
    if let writer, writer != pid { return .blocked(by: writer) }
    writer = nil
    return claim.owns(row) && row?.container == claim.container ? .allowed : .fenced
  }

  /// Locks the role's file again if it was replaced.
  public mutating func keepLock(_ role: Role, _ pid: Int32) {
    if canTakeLock(role, pid) { locks[role] = pid }
  }

  public mutating func dropLock(_ role: Role, _ pid: Int32) {
    if locks[role] == pid { locks[role] = nil }
  }

  public mutating func replaceLock(_ role: Role) { locks[role] = nil }

  public mutating func raiseIntent(_ pid: Int32) { if intent == nil { intent = pid } }

  public mutating func withdrawIntent(_ pid: Int32) { if intent == pid { intent = nil } }

  public mutating func write(_ beat: Beat) { beats[beat.role] = beat }

  public func look(boot: BootID, bootClock: Instant, without: Rules = Rules()) -> Observation {
    Observation(
      row: row,
      holderLockIsBusy: row.map { without.contains(.lock) || locks[$0.role] != nil } ?? false,
      beat: row.flatMap { beats[$0.role] }, appWantsNode: isIntentRaised(without: without), boot: boot,
      bootClock: bootClock)
  }

  public func isIntentRaised(without: Rules = Rules()) -> Bool {
    !without.contains(.intentAsState) && intent != nil
  }

  /// The kernel releases everything that the process held.
  public mutating func forget(_ pid: Int32) {
    for role in [Role.app, .extension] { dropLock(role, pid) }
    withdrawIntent(pid)
    if writer == pid { writer = nil }
  }
}

extension ClaimRow {
  /// For checks.
  func isOf(_ claim: Claim?) -> Bool { claim?.owns(self) == true }
}

// Start of the wait of each incomplete multi-part payment: a table of its own, as in the real container.
extension Container {
  struct Wait: Hashable, Sendable {
    var paymentHash: Bytes32
    var boot: BootID
    var since: Instant

    func waited(boot: BootID, at now: Instant) -> TimeSpan? {
      boot == self.boot && since <= now ? now - since : nil
    }
  }

  /// `now` is of a clock that counts sleep.
  func readNode(boot: BootID, at now: Instant) -> NodeState {
    var state = node
    state.waiting = waits.map {
      WaitingParts(paymentHash: $0.paymentHash, waited: $0.waited(boot: boot, at: now))
    }
    return state
  }

  mutating func write(waiting hashes: [Bytes32], boot: BootID, at now: Instant) {
    let running = waits.filter { $0.waited(boot: boot, at: now) != nil }
    waits = hashes.map { hash in
      running.first { $0.paymentHash == hash } ?? Wait(paymentHash: hash, boot: boot, since: now)
    }
  }
}

extension World {
  /// The node state that a process would read now.
  package var nodeInContainer: NodeState { container.value.readNode(boot: boot, at: peerNow) }

  /// Every pending payment is incomplete, and no sender adds parts any more: the parts time out and are failed back.
  var lacksOnlyParts: Bool {
    appRuns(isSettling: true)
      && peer.value.state.payments.allSatisfy { payment in
        guard let total = payment.request.paymentData?.totalMsat else { return false }
        let parts = peer.value.state.payments.filter { $0.request.paymentHash == payment.request.paymentHash }
        return parts.reduce(0) { $0 + $1.request.amountMsat } < total
      }
  }
}
