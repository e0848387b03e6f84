import Ground
import Guardrails
import Heartbeat

/// The terms of a lock: how it is taken, how long it is good for, and what a process does with it.
struct LeaseTerms: Hashable, Sendable {
  enum Form: Hashable, Sendable {
    /// A read, then a write: holder and wall-clock date.
    case readThenWrite
    /// The same in one SQL statement.
    case statement
    /// The kernel's lock: without a date, and gone with its holder.
    case fileLock
    /// Each process has a sign of its own, and reads the other's: the extension a flag, which it sets before it looks;
    /// the app beats, from the start of its node on.
    case signs
  }

  /// The channel from which a node starts.
  enum State: Hashable, Sendable {
    case readAnew
    /// In memory, unless the other process has held the lock since.
    case readIfOtherHeld
    /// In memory, if the process has it.
    case kept
  }

  /// An app that leaves the foreground…
  enum AtHome: Hashable, Sendable {
    case stops
    case stopsAfter(TimeSpan)
    /// … is suspended as it is.
    case goesOn
  }

  /// An extension that finds the lock taken…
  enum Refused: Hashable, Sendable {
    case retries
    case endsWithoutContent
    case delivers
  }

  var form: Form
  /// Nil: until it is given back.
  var appHolds: TimeSpan?
  var extensionHolds: TimeSpan?
  /// Nil if it is never extended.
  var extendsEvery: TimeSpan?
  /// Renewals go on after one was refused.
  var renewsAfterRefusal = false
  /// False: the holder does not remove its sign at the end of its work; the sign only ages.
  var isGivenBack = true
  /// The pause between two attempts doubles from the first to the longest.
  var firstPause: TimeSpan
  var longestPause: TimeSpan
  /// Nil: the app tries on. Then it gives up until the user opens it again, or starts its node all the same.
  var appWaits: TimeSpan?
  var appInsists = false
  var extensionRefused = Refused.retries
  var extensionRunsNode = true
  var state = State.readAnew
  var atHome = AtHome.stops

  func holds(_ role: Role) -> TimeSpan? { role == .app ? appHolds : extensionHolds }

  /// Taken and refused by one operation, `claim`.
  var isAtomic: Bool { form == .statement || form == .fileLock }
}

// The terms of each product.
extension LeaseTerms {
  static let bitkit2025 = LeaseTerms(
    form: .readThenWrite, appHolds: .seconds(300), extensionHolds: .seconds(35),
    firstPause: .milliseconds(100), longestPause: .milliseconds(100), appWaits: .seconds(30),
    extensionRefused: .endsWithoutContent)

  static let bitkit: LeaseTerms = {
    var terms = bitkit2025
    terms.extensionRunsNode = false
    return terms
  }()

  /// The real interval is 50 ms; a longer one keeps the world small enough to explore.
  static let matrix = LeaseTerms(
    form: .statement, appHolds: .milliseconds(500), extensionHolds: .milliseconds(500),
    extendsEvery: .milliseconds(250), firstPause: .milliseconds(10), longestPause: .seconds(1),
    state: .readIfOtherHeld)

  static let matrix2023: LeaseTerms = {
    var terms = matrix
    terms.renewsAfterRefusal = true
    return terms
  }()

  static let mutiny = LeaseTerms(
    form: .readThenWrite, appHolds: .seconds(60), extensionHolds: .seconds(60), extendsEvery: .seconds(30),
    renewsAfterRefusal: true, isGivenBack: false, firstPause: .seconds(5), longestPause: .seconds(5),
    state: .kept)

  static let stableChannels = LeaseTerms(
    form: .signs, appHolds: .seconds(10), extensionHolds: nil, extendsEvery: .seconds(5),
    firstPause: .seconds(1), longestPause: .seconds(1), appWaits: .seconds(30), appInsists: true,
    extensionRefused: .delivers, atHome: .stopsAfter(.seconds(30)))

  static let wire = LeaseTerms(
    form: .fileLock, appHolds: nil, extensionHolds: nil, firstPause: .seconds(1), longestPause: .seconds(1),
    atHome: .goesOn)
}

/// One process's side of the lock.
struct LeaseKeeper: Hashable, Sendable, Shiftable {
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
      return [.container(.dropLock)]
    case .held where terms.form == .signs:
      state = .idle
      // The app's last beat is written after its node has stopped.
      return [role == .app ? sign : noSign]
    case .held where !terms.isGivenBack || !writes: state = .idle
    case .held:
      state = .givingBack
      return [.container(.look)]
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
      return ([.container(.dropLock)], nil)
    case (.claimSuperseded, .givingBack):
      state = .idle
      return ([], nil)
    default: return ([], nil)
    }
  }

  private var sign: GuardDirective { .container(.beat(epoch: 1, phase: .claimed, counter: 0)) }
  private var noSign: GuardDirective { .container(.beat(epoch: 1, phase: .released, counter: 0)) }
  private var attempt: [GuardDirective] {
    terms.isAtomic ? [.container(.claim(seen: 0, reason: .neverClaimed))] : [.container(.look)]
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

  private mutating func took(_ entry: Entry, at now: Instant) -> (directives: [GuardDirective], news: News?) {
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

  mutating func shift(by span: TimeSpan) {
    switch state {
    case .pausing(let until): state = .pausing(until: until + span)
    case .held(let extendAt?): state = .held(extendAt: extendAt + span)
    case .idle, .taking, .held(nil), .givingBack: break
    }
  }
}
