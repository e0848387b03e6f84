import Ground
import Guardrails

/// A claim in the history: the row, and fields for users.
public struct ClaimRecord: Hashable, Sendable {
  public var row: ClaimRow
  /// The claimant's boot-time clock at the claim.
  public var bootClock: Instant
  public var wallClockNanoseconds: Int64
  /// The epoch that the claimant had seen, 0 without one.
  public var seen: Epoch
  public var reason: String
}
