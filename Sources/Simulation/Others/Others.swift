import Ground
import Guardrails
import Heartbeat

/// The coordination of others in the place of ours: what a world has for it alone, and what is otherwise there. It has no row, no
/// epochs and no fence.
struct Others: Hashable, Sendable {
  let coordination: Coordination
  /// The lock that is somebody's for a time, and since when. Phoenix's beat is a file in the container, as ours are.
  private(set) var lease: Beat?
  /// Who had it last, which its next holder is told.
  private var lastLeaseholder: Role?
  /// The process that spoke last of its channel.
  private(set) var lastToDrive: Role?
  /// Since when the user looks at an app whose node does not run, although nobody else's does.
  private(set) var waitsSince: Instant?

  /// Nil: it is ours.
  init?(_ coordination: Coordination) {
    guard coordination != .baton else { return nil }
    self.coordination = coordination
  }

  // MARK: The lease

  struct Taken: Hashable {
    /// Who had it until now.
    var before: Role?
    /// Somebody else has had it since this process had it last.
    var isFromOther: Bool
  }

  /// One statement: taken if nobody has it, if its time is over, or if it is one's own. Nil: it is not.
  mutating func take(_ sign: Beat) -> Taken? {
    let (before, other) = (lease, sign.role.other)
    if let before, before.role == other {
      guard let terms = coordination.leaseTerms, sign.bootClock - before.bootClock > terms.holds(other) else {
        return nil
      }
      // The number of changes of the holder, here only whether there was one.
      lastLeaseholder = other
    }
    defer { lastLeaseholder = sign.role }
    lease = sign
    return Taken(before: before?.role, isFromOther: lastLeaseholder != sign.role)
  }

  mutating func drop(by role: Role) { if lease?.role == role { lease = nil } }

  /// Without a look.
  mutating func write(_ sign: Beat?) { lease = sign }

  // MARK: What is noted for the checks

  mutating func drives(_ life: inout Life) {
    if life.wallet.guardrail.other?.isDriving == false { lastToDrive = life.role }
    life.wallet.guardrail.changeOther { $0.drives() }
  }

  mutating func waits(_ isWaiting: Bool, at now: Instant) {
    if !isWaiting { waitsSince = nil } else if waitsSince == nil { waitsSince = now }
  }

  // MARK: What is otherwise

  /// What a deed of an agenda is for them; nil if it is the same. They send nothing through the channel, and have no answer to a
  /// storage that fails.
  func moves(for deed: Agenda.Deed) -> [Move]? {
    switch deed {
    case .send: [.beginTask]
    case .sendIsDone: [.endTask]
    case .cancel, .storage, .fullDisk: []
    case .open, .home, .quit, .pay, .withdraw, .fault: nil
    }
  }

  /// A sign of life that is older is all the same.
  mutating func forget(before longStale: Instant) {
    if let stamp = lease?.bootClock, stamp < longStale { lease?.bootClock = longStale }
  }
}

extension Others: Shiftable {
  mutating func shift(by span: TimeSpan) {
    lease.shift(by: span)
    waitsSince.shift(by: span)
  }
}
