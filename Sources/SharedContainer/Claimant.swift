import Ground

/// The claiming process, the reason and the time; the role is the container's.
public struct Claimant: Hashable, Codable, Sendable {
  public var process: ProcessIdentity
  /// Random per claim, for example from `SharedContainer.newIncarnation`.
  public var incarnation: UInt64
  public var reason: String
  public var bootClock: Instant
  /// For display only: no decision reads it.
  public var wallClockNanoseconds: Int64

  public init(
    process: ProcessIdentity, incarnation: UInt64, reason: String, bootClock: Instant,
    wallClockNanoseconds: Int64
  ) {
    self.process = process
    self.incarnation = incarnation
    self.reason = reason
    self.bootClock = bootClock
    self.wallClockNanoseconds = wallClockNanoseconds
  }
}
