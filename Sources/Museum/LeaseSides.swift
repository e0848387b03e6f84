import Ground
import Guardrails
import Simulation

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
