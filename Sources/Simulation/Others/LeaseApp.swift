import Ground
import Guardrails

/// An app that runs its node while it holds the lease.
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
  private var connection = Status.idle
  private var shown: Status?

  init(_ terms: LeaseTerms) {
    self.terms = terms
    keeper = LeaseKeeper(terms, .app)
  }

  var entry: Entry? { keeper.entry }
  var isKeptWaiting: Bool { isInFront && node == .stopped }
  var deadline: Instant? { [keeper.deadline, givesUpAt].compactMap { $0 }.min() }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    react(to: event, at: now)
    let (directives, news) = keeper.handle(event, at: now)
    patience(news, at: now)
    return directives + settle() + showChange()
  }

  private mutating func react(to event: GuardEvent, at now: Instant) {
    switch event {
    case .enteredForeground:
      isInFront = true
      owesBackgroundDone = false
      hasGivenUp = false
    case .enteredBackground:
      isInFront = false
      owesBackgroundDone = true
      givesUpAt = nil
    case .terminationRequested:
      isInFront = false
      isEnding = true
      givesUpAt = nil
    case .deadlineReached:
      guard let instant = givesUpAt, instant <= now else { return }
      givesUpAt = nil
      hasGivenUp = true
    case .node(.established): connection = .connected(1)
    case .node(.connecting): connection = .connecting(1)
    case .node(.stopped):
      connection = .idle
      node = .stopped
    default: break
    }
  }

  private mutating func patience(_ news: LeaseKeeper.News?, at now: Instant) {
    switch news {
    case .taken?: givesUpAt = nil
    case .refused?:
      if givesUpAt == nil, let span = terms.appWaits { givesUpAt = now + span }
    case nil: break
    }
  }

  private mutating func settle() -> [GuardDirective] {
    if isInFront, !hasGivenUp {
      guard node == .stopped else { return [] }
      guard keeper.isHeld else { return keeper.take() }
      node = .running
      connection = .connecting(1)
      return [.startNode(.ofOthers)]
    }
    if node == .running {
      node = .stopping
      return [.stopNode(gracefully: true)]
    }
    guard node == .stopped else { return [] }
    if !keeper.isIdle { return keeper.giveBack() }
    if isEnding {
      hasEnded = true
      return [.end(.terminated)]
    }
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
  }
}
