import Ground
import PhonePolicy

/// One run: a seed and its durations.
public struct RunSettings: Hashable, Sendable {
  public var seed: UInt64
  public var world = WorldSettings()
  /// Length of the fault period, on the peer's clock.
  public var length = TimeSpan.seconds(600)
  /// How long the app may take afterwards to connect and settle everything.
  public var healsWithin = TimeSpan.seconds(60)
  /// What the phone does with an extension that has delivered its content; nil if the seed decides.
  public var afterContent: AfterContent?
  /// The numbers of the agenda's entries to use; nil for all.
  public var only: [Int]?
  /// Chooses, with the seed, the order of moves for the same agenda.
  public var order: UInt64 = 0

  public init(seed: UInt64) { self.seed = seed }
}
