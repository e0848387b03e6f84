import Ground
import Guardrails
import Heartbeat
import Simulation

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
  private func with(_ term: WritableKeyPath<LeaseTerms, Bool>, _ value: Bool) -> LeaseTerms {
    var terms = self
    terms[keyPath: term] = value
    return terms
  }

  static let bitkit2025 = LeaseTerms(
    form: .readThenWrite, appHolds: .seconds(300), extensionHolds: .seconds(35),
    firstPause: .milliseconds(100), longestPause: .milliseconds(100), appWaits: .seconds(30),
    extensionRefused: .endsWithoutContent)

  static let bitkit = bitkit2025.with(\.extensionRunsNode, false)

  /// The real interval is 50 ms; a longer one keeps the world small enough to explore.
  static let matrix = LeaseTerms(
    form: .statement, appHolds: .milliseconds(500), extensionHolds: .milliseconds(500),
    extendsEvery: .milliseconds(250), firstPause: .milliseconds(10), longestPause: .seconds(1),
    state: .readIfOtherHeld)

  static let matrix2023 = matrix.with(\.renewsAfterRefusal, true)

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

/// An app that runs its node while it holds the lock.
struct LeaseApp: Side {
  var notes = SideNotes()
  private let terms: LeaseTerms
  private var keeper: LeaseKeeper
  private var isInFront = false
  private var isEnding = false
  private var hasEnded = false
  private var owesBackgroundDone = false
  private var node = NodeStage.stopped
  private var givesUpAt: Instant?
  private var hasGivenUp = false
  /// Until then its node goes on in the background.
  private var graceEndsAt: Instant?
  /// It has a background task, which ends when the lock is given back.
  private var hasOwnTask = false
  private var connection = Status.idle
  private var shown: Status?

  init(_ terms: LeaseTerms) {
    self.terms = terms
    keeper = LeaseKeeper(terms, .app)
  }

  var entry: Entry? { keeper.entry }
  var isKeptWaiting: Bool { isInFront && node == .stopped }
  var deadline: Instant? { [keeper.deadline, givesUpAt, graceEndsAt].compactMap { $0 }.min() }

  mutating func decide(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    let reaction = react(to: event, at: now)
    let (directives, news) = keeper.handle(event, at: now)
    if news == .taken { givesUpAt = nil }
    if news == .refused, givesUpAt == nil, let span = terms.appWaits { givesUpAt = now + span }
    return reaction + directives + settle() + showChange()
  }

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .enteredForeground:
      isInFront = true
      owesBackgroundDone = false
      hasGivenUp = false
      graceEndsAt = nil
      return endTask()
    case .enteredBackground:
      isInFront = false
      owesBackgroundDone = true
      givesUpAt = nil
      return beginGrace(at: now)
    case .backgroundTimeExpired: graceEndsAt = nil
    case .terminationRequested:
      isInFront = false
      isEnding = true
      givesUpAt = nil
    case .deadlineReached: deadlineReached(at: now)
    case .node(.established): connection = .connected(1)
    case .node(.connecting):
      connection = .connecting(1)
      return keeper.nodeStarts(at: now)
    case .node(.stopped):
      connection = .idle
      node = .stopped
    default: break
    }
    return []
  }

  private mutating func deadlineReached(at now: Instant) {
    if let instant = givesUpAt, instant <= now {
      givesUpAt = nil
      if !terms.appInsists {
        hasGivenUp = true
      } else if !keeper.insist() {
        givesUpAt = now + terms.firstPause
      }
    }
    if let instant = graceEndsAt, instant <= now { graceEndsAt = nil }
  }

  // MARK: In the background

  private static let task: UInt64 = 1

  private mutating func beginGrace(at now: Instant) -> [GuardDirective] {
    guard case .stopsAfter(let span) = terms.atHome, node == .running, graceEndsAt == nil else { return [] }
    graceEndsAt = now + span
    hasOwnTask = true
    return [.phone(.beginBackgroundTask(Self.task))]
  }

  private mutating func endTask() -> [GuardDirective] {
    guard hasOwnTask else { return [] }
    hasOwnTask = false
    return [.phone(.endBackgroundTask(Self.task))]
  }

  /// Its node goes on although it is in the background.
  private var goesOn: Bool {
    guard !isEnding, node == .running else { return false }
    return terms.atHome == .goesOn || graceEndsAt != nil
  }

  // MARK: Decisions

  private mutating func settle() -> [GuardDirective] {
    if isInFront, !hasGivenUp {
      guard node == .stopped else { return [] }
      guard keeper.isHeld else { return keeper.take() }
      node = .running
      connection = .connecting(1)
      return [.node(.startNode(.ofOthers))]
    }
    if goesOn { return backgroundDone() }
    if node == .running {
      node = .stopping
      return [.node(.stopNode(gracefully: true))]
    }
    guard node == .stopped else { return [] }
    let back = keeper.isIdle ? [] : keeper.giveBack()
    guard keeper.isIdle else { return back }
    if isEnding {
      hasEnded = true
      return back + [.phone(.end(.terminated))]
    }
    return back + backgroundDone() + endTask()
  }

  private mutating func backgroundDone() -> [GuardDirective] {
    guard owesBackgroundDone else { return [] }
    owesBackgroundDone = false
    return [.phone(.backgroundDone)]
  }

  private mutating func showChange() -> [GuardDirective] {
    let status: Status =
      hasGivenUp
      ? .trouble("the lock is still taken after 30 s")
      : node == .stopped && isInFront ? .claiming : connection
    guard status != shown, !hasEnded else { return [] }
    shown = status
    return [.phone(.show(status))]
  }

  mutating func shift(by span: TimeSpan) {
    keeper.shift(by: span)
    givesUpAt.shift(by: span)
    graceEndsAt.shift(by: span)
  }
}

/// An extension that runs its node while it holds the lock, one push after the other. It stops its node and gives the
/// lock back before it delivers.
struct LeaseExtension: Side {
  private struct Serving: Hashable, Sendable {
    var push: Push
    var endsAt: Instant
    /// Both nil while it waits for the payment.
    var end: FinishReason?
    var outcome: PushOutcome?
  }

  var notes = SideNotes()
  private let terms: LeaseTerms
  private var keeper: LeaseKeeper
  private var serving: Serving?
  private var waiting: [Push] = []
  private var node = NodeStage.stopped
  private var isEnding = false
  private var hasEnded = false

  init(_ terms: LeaseTerms) {
    self.terms = terms
    keeper = LeaseKeeper(terms, .extension)
  }

  var entry: Entry? { keeper.entry }

  var deadline: Instant? {
    [keeper.deadline, serving?.end == nil ? serving?.endsAt : nil].compactMap { $0 }.min()
  }

  mutating func decide(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    react(to: event, at: now)
    let (directives, news) = keeper.handle(event, at: now)
    if news == .refused, serving?.end == nil { refused() }
    return directives + settle(at: now)
  }

  private mutating func refused() {
    switch terms.extensionRefused {
    case .retries: break
    // The content handler is not called then: the phone shows the push's original content when its time is over.
    case .endsWithoutContent: serving = nil
    case .delivers: finish(.appWantsNode)
    }
  }

  private mutating func react(to event: GuardEvent, at now: Instant) {
    switch event {
    case .pushArrived(let push): waiting.append(push)
    case .deadlineReached: if let serving, serving.endsAt <= now { finish(.totalTime) }
    case .expiryWarned(let push) where push == serving?.push.id: finish(.timeWillExpire)
    case .terminationRequested:
      isEnding = true
      finish(.terminated)
    case .node(.received(let payment)): finish(.received, .received(payment))
    case .node(.stopped): node = .stopped
    default: break
    }
  }

  private mutating func settle(at now: Instant) -> [GuardDirective] {
    if serving?.end == nil, serving != nil {
      guard node == .stopped else { return [] }
      guard keeper.isHeld else { return keeper.take() }
      guard terms.extensionRunsNode else {
        finish(.appWantsNode)
        return settle(at: now)
      }
      node = .running
      return [.node(.startNode(.ofOthers))]
    }
    if node == .running {
      node = .stopping
      return [.node(.stopNode(gracefully: true))]
    }
    guard node == .stopped else { return [] }
    let back = keeper.isIdle ? [] : keeper.giveBack()
    guard keeper.isIdle else { return back }
    return back + deliver() + next(at: now)
  }

  private mutating func deliver() -> [GuardDirective] {
    guard let push = serving?.push.id, let end = serving?.end, let outcome = serving?.outcome else {
      return []
    }
    serving = nil
    return [.phone(.deliver(push: push, outcome)), .phone(.finished(push: push, end))]
  }

  private mutating func next(at now: Instant) -> [GuardDirective] {
    if isEnding {
      hasEnded = true
      return [.phone(.end(.terminated))]
    }
    guard !waiting.isEmpty else { return [] }
    serving = Serving(push: waiting.removeFirst(), endsAt: now + PhoenixExtension.totalTime)
    return keeper.take()
  }

  private mutating func finish(_ reason: FinishReason, _ outcome: PushOutcome? = nil) {
    guard let push = serving?.push, serving?.end == nil else { return }
    serving?.end = reason
    serving?.outcome = outcome ?? .nothingReceived(push.reason)
  }

  mutating func shift(by span: TimeSpan) {
    keeper.shift(by: span)
    serving?.endsAt.shift(by: span)
  }
}
