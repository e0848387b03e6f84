import Ground
import Guardrails

/// An app that runs its node while it holds the lock.
public struct LeaseApp: OtherMachine {
  private enum Node: Hashable, Sendable { case stopped, running, stopping }

  private let terms: LeaseTerms
  private var keeper: LeaseKeeper
  private var isInFront = false
  private var isEnding = false
  private var hasEnded = false
  private var owesBackgroundDone = false
  private var node = Node.stopped
  private var givesUpAt: Instant?
  private var hasGivenUp = false
  /// Until then its node goes on in the background.
  private var graceEndsAt: Instant?
  /// It has a background task, which ends when the lock is given back.
  private var hasTask = false
  private var connection = Status.idle
  private var shown: Status?

  init(_ terms: LeaseTerms) {
    self.terms = terms
    keeper = LeaseKeeper(terms, .app)
  }

  var entry: Entry? { keeper.entry }
  var isKeptWaiting: Bool { isInFront && node == .stopped }
  var deadline: Instant? { [keeper.deadline, givesUpAt, graceEndsAt].compactMap { $0 }.min() }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    let reaction = react(to: event, at: now)
    let (directives, news) = keeper.handle(event, at: now)
    patience(news, at: now)
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

  private mutating func patience(_ news: LeaseKeeper.News?, at now: Instant) {
    switch news {
    case .taken?: givesUpAt = nil
    case .refused?:
      if givesUpAt == nil, let span = terms.appWaits { givesUpAt = now + span }
    case nil: break
    }
  }

  // MARK: In the background

  private static let task: UInt64 = 1

  private mutating func beginGrace(at now: Instant) -> [GuardDirective] {
    guard case .stopsAfter(let span) = terms.atHome, node == .running, graceEndsAt == nil else { return [] }
    graceEndsAt = now + span
    hasTask = true
    return [.beginBackgroundTask(Self.task)]
  }

  private mutating func endTask() -> [GuardDirective] {
    guard hasTask else { return [] }
    hasTask = false
    return [.endBackgroundTask(Self.task)]
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
      return [.startNode(.ofOthers)]
    }
    if goesOn { return backgroundDone() }
    if node == .running {
      node = .stopping
      return [.stopNode(gracefully: true)]
    }
    guard node == .stopped else { return [] }
    let back = keeper.isIdle ? [] : keeper.giveBack()
    guard keeper.isIdle else { return back }
    if isEnding {
      hasEnded = true
      return back + [.end(.terminated)]
    }
    return back + backgroundDone() + endTask()
  }

  private mutating func backgroundDone() -> [GuardDirective] {
    guard owesBackgroundDone else { return [] }
    owesBackgroundDone = false
    return [.backgroundDone]
  }

  private mutating func showChange() -> [GuardDirective] {
    let status: Status =
      hasGivenUp
      ? .trouble("the lock is still taken after 30 s")
      : node == .stopped && isInFront ? .claiming : connection
    guard status != shown, !hasEnded else { return [] }
    shown = status
    return [.show(status)]
  }
}

extension LeaseApp: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    keeper.shift(by: span)
    givesUpAt.shift(by: span)
    graceEndsAt.shift(by: span)
  }
}
