import Ground

/// How a sender reacts to a failed attempt.
public enum RetryPolicy: String, Hashable, Codable, Sendable, CaseIterable {
  /// It asks the recipient's LSP for a hint after each failure that may pass.
  case hint
  /// Without hints: 1, 3 and 7 s between attempts.
  case interim
  /// One attempt, without a deadline.
  case off
}

/// The settings of one payment.
public struct SenderSettings: Hashable, Codable, Sendable {
  public static let attemptsMost = 4
  public static let shortestDeadline = TimeSpan.seconds(10)
  public static let longestDeadline = TimeSpan.seconds(15)
  public static let standardDeadline = TimeSpan.seconds(12)

  public let policy: RetryPolicy
  /// From the start of the payment: no attempt begins later, and the sender has its answer by then.
  public let deadline: TimeSpan
  public let attempts: Int
  /// Of the random parts of the gaps.
  public let seed: UInt64

  /// Values outside of 10 to 15 s and of 1 to 4 attempts become the nearest allowed ones.
  public init(
    _ policy: RetryPolicy, deadline: TimeSpan = Self.standardDeadline, attempts: Int = Self.attemptsMost,
    seed: UInt64
  ) {
    self.policy = policy
    self.deadline = min(max(deadline, Self.shortestDeadline), Self.longestDeadline)
    self.attempts = policy == .off ? 1 : min(max(attempts, 1), Self.attemptsMost)
    self.seed = seed
  }
}
