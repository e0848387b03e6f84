import Ground
import Guardrails
import Heartbeat

/// A world's state for another product's coordination, which has no row, epochs or fence.
struct Others: Hashable, Sendable {
  let coordination: Coordination
  /// The lock with its date. Signs of each process's own, like Phoenix's beat, are in the container, like ours.
  private(set) var lease: Beat?
  /// The last holder, which its next holder learns.
  private var lastLeaseholder: Role?
  /// The process that sent the last `channel_reestablish`.
  private(set) var lastToDrive: Role?
  /// Since when the app is in front while no process runs its node.
  private(set) var waitsSince: Instant?

  /// Nil for Baton's own.
  init?(_ coordination: Coordination) {
    guard coordination != .baton else { return nil }
    self.coordination = coordination
  }

  // MARK: The lease

  struct Taken: Hashable {
    /// The holder until now.
    var before: Role?
    /// The other process has held it since this process held it last.
    var isFromOther: Bool
  }

  /// One SQL statement: takes the lease if it is free, expired, or the process's own; nil if the other process holds
  /// it.
  mutating func take(_ sign: Beat) -> Taken? {
    let (before, other) = (lease, sign.role.other)
    if let before, before.role == other {
      guard let span = coordination.leaseTerms?.holds(other), sign.bootClock - before.bootClock > span else {
        return nil
      }
      // The real row counts the changes of the holder; here only whether there was one.
      lastLeaseholder = other
    }
    defer { lastLeaseholder = sign.role }
    lease = sign
    return Taken(before: before?.role, isFromOther: lastLeaseholder != sign.role)
  }

  mutating func drop(by role: Role) { if lease?.role == role { lease = nil } }

  /// The kernel frees a dead process's file locks.
  mutating func processEnded(_ role: Role) {
    if coordination.leaseTerms?.form == .fileLock { drop(by: role) }
  }

  /// Writes without a read.
  mutating func write(_ sign: Beat?) { lease = sign }

  // MARK: Notes for the checks

  mutating func drives(_ life: inout Life) {
    if life.wallet.guardrail.other?.isDriving == false { lastToDrive = life.role }
    life.wallet.guardrail.changeOther { $0.drives() }
  }

  mutating func waits(_ isWaiting: Bool, at now: Instant) {
    if !isWaiting { waitsSince = nil } else if waitsSince == nil { waitsSince = now }
  }

  // MARK: Differences

  /// The moves for an agenda's action; nil if they are the same as Baton's. The other schemes make no outgoing
  /// payments, handle no storage faults, and have one device.
  func moves(for action: Agenda.Action) -> [Move]? {
    switch action {
    case .send: [.beginTask]
    case .sendIsDone: [.endTask]
    case .cancel, .press, .followLink, .storage, .fullDisk, .slowPeer, .takeOtherDevice, .askToMove, .onOther:
      []
    case .open, .home, .quit, .pay, .withdraw, .fault: nil
    }
  }

  /// Limits the age of the lock's stamp: no rule distinguishes older ones. Without a term it has none.
  mutating func forget(before longStale: Instant) {
    guard let lease else { return }
    let hasTerm = coordination.leaseTerms?.holds(lease.role) != nil
    if lease.bootClock < longStale || !hasTerm { self.lease?.bootClock = longStale }
  }
}

extension Others: Shiftable {
  mutating func shift(by span: TimeSpan) {
    lease.shift(by: span)
    waitsSince.shift(by: span)
  }
}
