import Ground

/// How much can be hoped for from silent pushes on one phone.
public struct SilentPushRules: Hashable, Codable, Sendable {
  /// What becomes of one while Low Power Mode is on: accounts of the real thing differ.
  public enum LowPower: String, Hashable, Codable, Sendable, CaseIterable {
    case drop
    /// The newest waits until it is off again.
    case hold
  }

  /// So many in the background within the window; one more waits.
  public var budget: Int
  public var window: TimeSpan
  /// How long the app has for one, and how much longer until it is let go.
  public var completionTime: TimeSpan
  public var completionGrace: TimeSpan
  public var lowPower: LowPower
  /// How many of a hundred get lost.
  public var dropPercent: UInt64
  /// Each waits for a chance time up to this.
  public var delayMax: TimeSpan
  /// Of the chances.
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
