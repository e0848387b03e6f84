import Ground
import Guardrails

/// A claim as history: the row, and what was noted with it for people.
public struct ClaimRecord: Hashable, Sendable {
  public var row: ClaimRow
  /// The claimant's boot-time clock at the claim.
  public var bootClock: Instant
  public var wallClockNanoseconds: Int64
  /// The epoch that the claimant had seen, 0 for none.
  public var seen: Epoch
  public var reason: String
}
