import Ground

/// The limits and chances of silent pushes on one phone.
public struct SilentPushRules: Hashable, Codable, Sendable {
  /// What happens to a silent push in Low Power Mode: reports about iOS differ.
  public enum LowPower: String, Hashable, Codable, Sendable, CaseIterable {
    case drop
    /// The newest waits until Low Power Mode is off.
    case hold
  }

  /// How many the app gets in the background per window; further ones wait.
  public var budget: Int
  public var window: TimeSpan
  /// How long the app has for one push, and the grace after the warning.
  public var completionTime: TimeSpan
  public var completionGrace: TimeSpan
  public var lowPower: LowPower
  /// Percentage that is lost at random.
  public var dropPercent: UInt64
  /// Each waits a random time up to this.
  public var delayMax: TimeSpan
  var areByChance: Bool { dropPercent > 0 || delayMax > .zero }
  /// Seed of the random decisions.
  public var seed: UInt64

  public init(
    budget: Int = 3, window: TimeSpan = .seconds(3600), completionTime: TimeSpan = .seconds(30),
    completionGrace: TimeSpan = .seconds(1), lowPower: LowPower = .drop, dropPercent: UInt64 = 0,
    delayMax: TimeSpan = .zero, seed: UInt64 = 1
  ) {
    self.budget = budget
    self.window = window
    self.completionTime = completionTime
    self.completionGrace = completionGrace
    self.lowPower = lowPower
    self.dropPercent = dropPercent
    self.delayMax = delayMax
    self.seed = seed
  }
}
