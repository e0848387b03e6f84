import Ground
import Guardrails
import Heartbeat

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

  public mutating func claim(seen: Epoch, by claimant: Claimant, without: Rules = []) -> ClaimAnswer {
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
    locks[claimant.role].holder = pid
    row = ClaimRow(
      epoch: epoch, role: claimant.role, process: claimant.process, incarnation: claimant.incarnation,
      container: id)
    return .claimed(Claim(epoch: epoch, incarnation: claimant.incarnation, container: id))
  }

  public func isLockBusy(_ role: Role) -> Bool { locks[role].holder != nil }

  func canTakeLock(_ role: Role, _ pid: Int32) -> Bool {
    let holder = locks[role].holder
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
    if canTakeLock(role, pid) { locks[role].holder = pid }
  }

  public mutating func dropLock(_ role: Role, _ pid: Int32) {
    if locks[role].holder == pid { locks[role].holder = nil }
  }

  public mutating func replaceLock(_ role: Role) { locks[role].holder = nil }

  public mutating func raiseIntent(_ pid: Int32) { if intent == nil { intent = pid } }

  public mutating func withdrawIntent(_ pid: Int32) { if intent == pid { intent = nil } }

  public mutating func write(_ beat: Beat) { beats[beat.role] = beat }

  public func look(boot: BootID, bootClock: Instant, without: Rules = []) -> Observation {
    Observation(
      row: row,
      holderLockIsBusy: row.map { without.contains(.lock) || locks[$0.role].holder != nil } ?? false,
      beat: row.flatMap { beats[$0.role] }, appWantsNode: isIntentRaised(without: without), boot: boot,
      bootClock: bootClock)
  }

  public func isIntentRaised(without: Rules = []) -> Bool {
    !without.contains(.intentAsState) && intent != nil
  }

  /// The kernel releases everything that the process held.
  public mutating func forget(_ pid: Int32) {
    if locks.app.holder == pid { locks.app.holder = nil }
    if locks.notifier.holder == pid { locks.notifier.holder = nil }
    if intent == pid { intent = nil }
    if writer == pid { writer = nil }
  }
}

extension ClaimRow {
  /// For checks.
  func isOf(_ claim: Claim?) -> Bool { claim?.owns(self) == true }
}
