import Ground
import Guardrails

/// An extension that runs its node while it holds the lease, one push after the other.
public struct LeaseExtension: OtherMachine {
  private enum Node: Hashable, Sendable { case stopped, running, stopping }

  private struct Serving: Hashable, Sendable {
    var push: Push
    var endsAt: Instant
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
  var deadline: Instant? { [keeper.deadline, serving?.endsAt].compactMap { $0 }.min() }

  mutating func handle(_ event: GuardEvent, at now: Instant) -> [GuardDirective] {
    guard !hasEnded else { return [] }
    let reaction = react(to: event, at: now)
    let (directives, news) = keeper.handle(event, at: now)
    // The content handler is not called then: the phone shows the push's original content when its time is over.
    if news == .refused, terms.extensionGivesUp { serving = nil }
    return reaction + directives + settle(at: now)
  }

  private mutating func react(to event: GuardEvent, at now: Instant) -> [GuardDirective] {
    switch event {
    case .pushArrived(let push):
      waiting.append(push)
      return []
    case .deadlineReached:
      guard let serving, serving.endsAt <= now else { return [] }
      return finish(.totalTime)
    case .expiryWarned(let push) where push == serving?.push.id: return finish(.timeWillExpire)
    case .terminationRequested:
      isEnding = true
      return finish(.terminated)
    case .node(.received(let payment)): return finish(.received, with: payment)
    case .node(.stopped):
      node = .stopped
      return []
    default: return []
    }
  }

  private mutating func settle(at now: Instant) -> [GuardDirective] {
    if serving != nil {
      guard node == .stopped else { return [] }
      guard keeper.isHeld else { return keeper.take() }
      node = .running
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
    guard !waiting.isEmpty else { return [] }
    serving = Serving(push: waiting.removeFirst(), endsAt: now + PhoenixExtension.totalTime)
    return keeper.take()
  }

  private mutating func finish(
    _ reason: FinishReason, with payment: ReceivedPayment? = nil
  ) -> [GuardDirective] {
    guard let finished = serving else { return [] }
    serving = nil
    let outcome = payment.map { PushOutcome.received($0) } ?? .nothingReceived(finished.push.reason)
    return [
      .deliver(push: finished.push.id, outcome), .finished(push: finished.push.id, reason),
    ]
  }
}

extension LeaseExtension: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    keeper.shift(by: span)
    serving?.endsAt.shift(by: span)
  }
}
