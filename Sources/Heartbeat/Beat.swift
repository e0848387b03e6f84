// Heartbeat: what a beat is, and when it is stale. Pure: it imports Ground alone. It never decides the owner: a beat
// bounds how long other processes wait, and informs users.

import Ground

/// The holder's progress.
public enum Phase: UInt8, Hashable, Codable, Sendable, CaseIterable {
  /// The claim is durable, nothing is dialled. → connecting, released
  case claimed = 1
  /// Dialling the peer, or exchanging `init`. → established, released
  case connecting = 2
  /// The channel is re-established. → settling, connecting, released
  case established = 3
  /// A payment is being settled: a handover waits for it. → established, connecting, released
  case settling = 4
  /// Released. Terminal for this epoch.
  case released = 5

  /// Whether the holder checks with each beat that its lock is on the file at the path.
  public var keepsLock: Bool { self != .released }

  public var word: String {
    switch self {
    case .claimed: "claimed"
    case .connecting: "connecting"
    case .established: "established"
    case .settling: "settling"
    case .released: "released"
    }
  }
}

/// One sign of life of the holder of one epoch.
public struct Beat: Hashable, Codable, Sendable {
  public var role: Role
  public var epoch: UInt64
  public var phase: Phase
  /// Grows by one with every beat of an epoch; the monitor only checks whether it is new.
  public var counter: UInt64
  public var process: ProcessIdentity
  /// The boot-time clock at the beat: the age rule uses it, the monitor does not.
  public var bootClock: Instant
  /// Nanoseconds since 1970, for display only: no decision reads it.
  public var wallClockNanoseconds: Int64

  public init(
    role: Role, epoch: UInt64, phase: Phase, counter: UInt64, process: ProcessIdentity,
    bootClock: Instant, wallClockNanoseconds: Int64
  ) {
    self.role = role
    self.epoch = epoch
    self.phase = phase
    self.counter = counter
    self.process = process
    self.bootClock = bootClock
    self.wallClockNanoseconds = wallClockNanoseconds
  }
}
