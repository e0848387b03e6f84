import CoreShape

/// One run: a seed, and how long there is trouble.
public struct RunSettings: Hashable, Sendable {
  public var seed: UInt64
  public var world = WorldSettings()
  /// How long the person, the senders and the faults are at work, on the peer's clock.
  public var length = Span.seconds(600)
  /// How long the pair may take afterwards until the app is connected and all is settled.
  public var healsWithin = Span.seconds(60)
  /// Of the actions and faults, by their number, only these; nil for all. That is how a failure is made short.
  public var only: [Int]?

  public init(seed: UInt64) { self.seed = seed }
}

/// What a run came to.
public struct RunResult: Hashable, Sendable {
  public var seed: UInt64
  public var violation: Violation?
  public var simulated = Span.zero
  public var deliveredEvents: UInt64 = 0
  public var moves: UInt64 = 0
  public var payments = 0
  public var paid = 0
  public var pushes = 0
  public var faults = [Int](repeating: 0, count: FaultKind.allCases.count)
  /// The numbers of the actions and faults that took place.
  public var actions: [Int] = []
}
