import Ground
import Guardrails

/// An extension that runs its node while it holds the lock, one push after the other. It stops its node and gives the
/// lock back before it delivers.
public struct LeaseExtension: OtherMachine {
  private enum Node: Hashable, Sendable { case stopped, running, stopping }

  private struct Serving: Hashable, Sendable {
    var push: Push
    var endsAt: Instant
    /// Nil while it waits for the payment.
    var end: End?
  }

  private struct End: Hashable, Sendable {
    var reason: FinishReason
    var outcome: PushOutcome
  }

  private let terms: LeaseTerms
  private var keeper: LeaseKeeper
  private var serving: Serving?
  private var waiting: [Push] = []
  private var node = Node.stopped
  private var isEnding = false
  private var hasEnded = false

  init(_ terms: LeaseTerms) {
    self.terms = terms
    keeper = LeaseKeeper(terms, .extension)
  }

  var entry: Entry? { keeper.entry }
  var isKeptWaiting: Bool { false }

  var deadline: Instant? {
    [keeper.deadline, serving?.end == nil ? serving?.endsAt : nil].compactMap { $0 }.min()
  }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
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
    case .deadlineReached:
      if let serving, serving.endsAt <= now { finish(.totalTime) }
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
      return [.startNode(.ofOthers)]
    }
    if node == .running {
      node = .stopping
      return [.stopNode(gracefully: true)]
    }
    guard node == .stopped else { return [] }
    let back = keeper.isIdle ? [] : keeper.giveBack()
    guard keeper.isIdle else { return back }
    return back + deliver() + next(at: now)
  }

  private mutating func deliver() -> [GuardDirective] {
    guard let done = serving, let end = done.end else { return [] }
    serving = nil
    return [.deliver(push: done.push.id, end.outcome), .finished(push: done.push.id, end.reason)]
  }

  private mutating func next(at now: Instant) -> [GuardDirective] {
    if isEnding {
      hasEnded = true
      return [.end(.terminated)]
    }
    guard !waiting.isEmpty else { return [] }
    serving = Serving(push: waiting.removeFirst(), endsAt: now + PhoenixExtension.totalTime)
    return keeper.take()
  }

  private mutating func finish(_ reason: FinishReason, _ outcome: PushOutcome? = nil) {
    guard let push = serving?.push, serving?.end == nil else { return }
    serving?.end = End(reason: reason, outcome: outcome ?? .nothingReceived(push.reason))
  }
}

extension LeaseExtension: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    keeper.shift(by: span)
    serving?.endsAt.shift(by: span)
  }
}
