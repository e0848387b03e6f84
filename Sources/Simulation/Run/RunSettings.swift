import Ground

/// One run: a seed, and how long there is trouble.
public struct RunSettings: Hashable, Sendable {
  public var seed: UInt64
  public var world = WorldSettings()
  /// How long the user, the senders and the faults are at work, on the peer's clock.
  public var length = TimeSpan.seconds(600)
  /// How long the pair may take afterwards until the app is connected and all is settled.
  public var healsWithin = TimeSpan.seconds(60)
  /// Of the agenda, by their numbers, only these; nil for all.
  public var only: [Int]?
  /// Who moves next follows from the seed and from this: other orders of the same agenda.
  public var order: UInt64 = 0

  public init(seed: UInt64) { self.seed = seed }
}
