import Ground
import Guardrails
import Heartbeat

/// The terms of a lease: a lock with its holder and a wall-clock date.
struct LeaseTerms: Hashable, Sendable {
  var appHolds: TimeSpan
  var extensionHolds: TimeSpan
  /// Nil if it is never extended.
  var extendsEvery: TimeSpan?
  /// Taken in one transaction; otherwise a read, then a write.
  var isAtomic: Bool
  /// The pause between two attempts doubles from the first to the longest.
  var firstPause: TimeSpan
  var longestPause: TimeSpan
  /// The app gives up after this time, until the user opens it again.
  var appWaits: TimeSpan?
  /// An extension that finds the lease taken ends without a message; otherwise it retries.
  var extensionGivesUp: Bool

  func holds(_ role: Role) -> TimeSpan { role == .app ? appHolds : extensionHolds }

  static let bitkit = LeaseTerms(
    appHolds: .seconds(300), extensionHolds: .seconds(35), extendsEvery: nil, isAtomic: false,
    firstPause: .milliseconds(100), longestPause: .milliseconds(100), appWaits: .seconds(30),
    extensionGivesUp: true)

  /// The real interval is 50 ms; a longer one keeps the world small enough to explore.
  static let matrix = LeaseTerms(
    appHolds: .milliseconds(500), extensionHolds: .milliseconds(500), extendsEvery: .milliseconds(250),
    isAtomic: true, firstPause: .milliseconds(10), longestPause: .seconds(1), appWaits: nil,
    extensionGivesUp: false)
}

extension Coordination {
  var leaseTerms: LeaseTerms? {
    switch self {
    case .baton, .phoenix: nil
    case .bitkit: .bitkit
    case .matrix: .matrix
    }
  }
}

/// One process's side of the lease.
struct LeaseKeeper: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    /// → taking
    case idle
    /// A look or an attempt is pending. → held, pausing, idle
    case taking
    /// The other process has it. → taking, idle
    case pausing(until: Instant)
    /// → givingBack, idle
    case held(extendAt: Instant?)
    /// → idle
    case givingBack
  }

  enum News: Hashable, Sendable { case taken, refused }

  private let terms: LeaseTerms
  private let role: Role
  private var state = State.idle
  private var pause: TimeSpan
  private(set) var entry: Entry?

  init(_ terms: LeaseTerms, _ role: Role) {
    self.terms = terms
    self.role = role
    pause = terms.firstPause
  }

  var isHeld: Bool { if case .held = state { true } else { false } }
  var isIdle: Bool { state == .idle }

  var deadline: Instant? {
    switch state {
    case .pausing(let instant): instant
    case .held(let extendAt): extendAt
    case .idle, .taking, .givingBack: nil
    }
  }

  mutating func take() -> [GuardDirective] {
    guard state == .idle else { return [] }
    state = .taking
    return attempt
  }

  /// Stops waiting for it, or gives it back.
  mutating func giveBack() -> [GuardDirective] {
    switch state {
    case .held:
      guard !terms.isAtomic else {
        state = .idle
        return [.dropLock]
      }
      state = .givingBack
      return [.look]
    case .pausing: state = .idle
    // The pending attempt is answered first, then given back.
    case .taking: state = .givingBack
    case .idle, .givingBack: break
    }
    return []
  }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> (directives: [GuardDirective], news: News?) {
    switch (event, state) {
    case (.deadlineReached, .pausing(let until)) where until <= now:
      state = .taking
      return (attempt, nil)
    case (.deadlineReached, .held(let extendAt?)) where extendAt <= now:
      // The real code only logs whether that worked.
      state = .held(extendAt: nextExtension(now))
      return (terms.isAtomic ? attempt : [], nil)
    case (.observed(let seen), .taking):
      guard let lease = seen.beat else { return took(.sawNothing, at: now) }
      return isOver(lease, seen) ? took(.sawOld, at: now) : refused(at: now)
    case (.claimed(let claim), .taking): return took(claim.incarnation == 0 ? .sawNothing : .sawOld, at: now)
    case (.claimSuperseded, .taking): return refused(at: now)
    case (.observed(let seen), .givingBack):
      state = .idle
      guard let lease = seen.beat, isOver(lease, seen) || lease.role == role else { return ([], nil) }
      return ([.beat(epoch: 1, phase: .released, counter: 0)], nil)
    case (.claimed, .givingBack):
      state = .idle
      return ([.dropLock], nil)
    case (.claimSuperseded, .givingBack):
      state = .idle
      return ([], nil)
    default: return ([], nil)
    }
  }

  private var attempt: [GuardDirective] {
    terms.isAtomic ? [.claim(seen: 0, reason: .neverClaimed)] : [.look]
  }

  private func isOver(_ lease: Beat, _ seen: Observation) -> Bool {
    seen.bootClock - lease.bootClock > terms.holds(lease.role)
  }

  private mutating func took(
    _ entry: Entry, at now: Instant
  ) -> (directives: [GuardDirective], news: News?) {
    self.entry = entry
    pause = terms.firstPause
    state = .held(extendAt: nextExtension(now))
    // Not in one step with the look: the other process may look in between.
    return (terms.isAtomic ? [] : [.beat(epoch: 1, phase: .claimed, counter: 0)], .taken)
  }

  /// A lease that is never extended ends: the explorer branches there, as the other process may take it.
  private func nextExtension(_ now: Instant) -> Instant {
    now + (terms.extendsEvery ?? terms.holds(role) + .milliseconds(2))
  }

  private mutating func refused(at now: Instant) -> (directives: [GuardDirective], news: News?) {
    state = .pausing(until: now + pause)
    pause = min(TimeSpan(nanoseconds: pause.nanoseconds * 2), terms.longestPause)
    return ([], .refused)
  }
}

extension LeaseKeeper: Shiftable {
  mutating func shift(by span: TimeSpan) {
    switch state {
    case .pausing(let until): state = .pausing(until: until + span)
    case .held(let extendAt?): state = .held(extendAt: extendAt + span)
    case .idle, .taking, .held(nil), .givingBack: break
    }
  }
}
