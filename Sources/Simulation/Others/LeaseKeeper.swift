import Ground
import Guardrails
import Heartbeat

/// One process's side of the lock.
struct LeaseKeeper: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    /// → taking
    case idle
    /// A look or an attempt is pending. → held, pausing, idle
    case taking
    /// The other process has it. → taking, held, idle
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
    return terms.form == .signs && role == .extension ? [sign] + attempt : attempt
  }

  /// Takes it although the other process has it. False if it is not waiting.
  mutating func insist() -> Bool {
    guard case .pausing = state else { return false }
    entry = .insisted
    pause = terms.firstPause
    state = .held(extendAt: nil)
    return true
  }

  /// The node starts: with signs the app's first beat.
  mutating func nodeStarts(at now: Instant) -> [GuardDirective] {
    guard terms.form == .signs, role == .app, isHeld else { return [] }
    state = .held(extendAt: nextExtension(now))
    return [sign]
  }

  /// Stops waiting for it, or gives it back.
  mutating func giveBack() -> [GuardDirective] {
    switch state {
    case .held where terms.isAtomic:
      state = .idle
      return [.dropLock]
    case .held where terms.form == .signs:
      state = .idle
      // The app's last beat is written after its node has stopped.
      return [role == .app ? sign : noSign]
    case .held where !terms.isGivenBack || !writes: state = .idle
    case .held:
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
      state = .held(extendAt: nextExtension(now))
      return (terms.form == .signs ? [sign] : attempt, nil)
    // The answer to a renewal by read and write.
    case (.observed(let seen), .held): return (isFree(seen) ? [sign] : [], nil)
    case (.claimSuperseded, .held) where !terms.renewsAfterRefusal:
      // Only the renewals end: who uses the lock is not told.
      state = .held(extendAt: nil)
      return ([], nil)
    case (.observed(let seen), .taking):
      guard isFree(seen) else { return refused(at: now) }
      return took(seen.beat == nil ? .sawNothing : .sawOld, at: now)
    case (.claimed(let claim), .taking): return took(claim.incarnation == 0 ? .sawNothing : .sawOld, at: now)
    case (.claimSuperseded, .taking): return refused(at: now)
    case (.observed(let seen), .givingBack):
      state = .idle
      guard terms.form != .signs else { return ([noSign], nil) }
      guard writes, let lease = seen.beat, isOver(lease, seen) || lease.role == role else { return ([], nil) }
      return ([noSign], nil)
    case (.claimed, .givingBack):
      state = .idle
      return ([.dropLock], nil)
    case (.claimSuperseded, .givingBack):
      state = .idle
      return ([], nil)
    default: return ([], nil)
    }
  }

  private var sign: GuardDirective { .beat(epoch: 1, phase: .claimed, counter: 0) }
  private var noSign: GuardDirective { .beat(epoch: 1, phase: .released, counter: 0) }
  private var attempt: [GuardDirective] {
    terms.isAtomic ? [.claim(seen: 0, reason: .neverClaimed)] : [.look]
  }

  /// An extension without a node only looks.
  private var writes: Bool { role == .app || terms.extensionRunsNode }

  /// The extension does not recognise a lock that an earlier extension left.
  private func isFree(_ seen: Observation) -> Bool {
    guard let lease = seen.beat else { return true }
    return isOver(lease, seen) || lease.role == role && (role == .app || isHeld || !terms.isGivenBack)
  }

  private func isOver(_ lease: Beat, _ seen: Observation) -> Bool {
    terms.holds(lease.role).map { seen.bootClock - lease.bootClock > $0 } ?? false
  }

  private mutating func took(
    _ entry: Entry, at now: Instant
  ) -> (directives: [GuardDirective], news: News?) {
    self.entry = entry
    pause = terms.firstPause
    guard terms.form != .signs, writes else {
      state = .held(extendAt: nil)
      return ([], .taken)
    }
    state = .held(extendAt: nextExtension(now))
    // Not in one step with the look: the other process may look in between.
    return (terms.isAtomic ? [] : [sign], .taken)
  }

  private func nextExtension(_ now: Instant) -> Instant? { terms.extendsEvery.map { now + $0 } }

  private mutating func refused(at now: Instant) -> (directives: [GuardDirective], news: News?) {
    guard terms.form != .signs || role == .app else {
      state = .idle
      return ([noSign], .refused)
    }
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
