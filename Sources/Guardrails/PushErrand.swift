import CoreShape

/// What a silent push wakes the app for: to connect, receive what waits, and be gone.
public struct PushErrand: Hashable, Sendable {
  /// How long after connecting a payment is waited for; and all in all, of the 30 s that the phone gives.
  static let quiet = Span.seconds(5)
  static let patience = Span.seconds(25)

  /// Those that the phone waits to hear of.
  private(set) var pushes: [UInt64] = []
  private(set) var isOver = true
  private var hasReceived = false
  private var isSettling = false
  private var quietEnds: Instant?
  private var patienceEnds: Instant?

  var deadline: Instant? {
    isOver ? nil : [isSettling ? nil : quietEnds, patienceEnds].compactMap { $0 }.min()
  }

  mutating func begin(_ push: UInt64, isEstablished: Bool, at now: Instant) {
    guard !pushes.contains(push) else { return }
    pushes.append(push)
    patienceEnds = isOver ? now + Self.patience : patienceEnds
    if isEstablished { quietEnds = now + Self.quiet }
    isOver = false
  }

  mutating func note(_ event: GuardEvent, at now: Instant) {
    switch event {
    case .node(.established): quietEnds = now + Self.quiet
    case .node(.settling(let isSettling)):
      self.isSettling = isSettling
      // All that was waiting came at once.
      if !isSettling, hasReceived { giveUp() }
    case .node(.received): hasReceived = true
    case .deadlineReached: if let deadline, deadline <= now { giveUp() }
    default: break
    }
  }

  /// Nothing more is waited for.
  mutating func giveUp() { isOver = true }

  /// Each push once, when everything is released.
  mutating func complete() -> [GuardDirective] {
    defer { self = PushErrand() }
    return pushes.map { .completed(push: $0, hasReceived ? .newData : .noData) }
  }
}

extension PushErrand: Shiftable {
  public mutating func shift(by span: Span) {
    quietEnds.shift(by: span)
    patienceEnds.shift(by: span)
  }
}
