import Ground

/// How a sender reacts to a failed attempt.
public enum RetryPolicy: String, Hashable, Codable, Sendable, CaseIterable {
  /// It asks the recipient's LSP for a hint after each failure that may pass.
  case hint
  /// Without hints: 1, 3 and 7 s between attempts.
  case interim
  /// One attempt.
  case off
}

/// The settings of one payment.
public struct SenderSettings: Hashable, Codable, Sendable {
  public static let attemptsMost = 4
  public static let shortestDeadline = TimeSpan.seconds(10)
  public static let longestDeadline = TimeSpan.seconds(15)
  public static let standardDeadline = TimeSpan.seconds(12)
  /// How long the LSP holds an attempt for a recipient that is away: less than the deadline, so that it comes back in
  /// time for another one (K-12).
  public static let standardHold = TimeSpan.seconds(10)

  public let policy: RetryPolicy
  /// From the start of the payment: no attempt begins later, and the sender has its answer by then. Nil, only with
  /// `off`: it waits until the attempt has ended.
  public let deadline: TimeSpan?
  public let attempts: Int
  /// Of the random parts of the gaps.
  public let seed: UInt64
  /// What the sender has; nothing above is sent. Nil: it has enough.
  public let spendableMsat: UInt64?

  /// With `off` the deadline is the `patience`; else values outside of 10 to 15 s and of 1 to 4 attempts become the
  /// nearest allowed ones.
  public init(
    _ policy: RetryPolicy, deadline: TimeSpan = Self.standardDeadline, attempts: Int = Self.attemptsMost,
    seed: UInt64, patience: TimeSpan? = nil, spendableMsat: UInt64? = nil
  ) {
    self.policy = policy
    let bounded = min(max(deadline, Self.shortestDeadline), Self.longestDeadline)
    self.deadline = policy == .off ? patience : bounded
    self.attempts = policy == .off ? 1 : min(max(attempts, 1), Self.attemptsMost)
    self.seed = seed
    self.spendableMsat = spendableMsat
  }
}
