// Heartbeat: what a beat is, and when it is stale. Pure: it imports Ground alone. Who owns the node
// is never decided here; a beat bounds how long others wait, and tells people what goes on.

import Ground

/// How far the holder of the node has come.
public enum Phase: UInt8, Hashable, Codable, Sendable, CaseIterable {
  /// The claim is durable; nothing has been dialled. → connecting, released
  case claimed = 1
  /// Dialling the peer or `init` it. → established, released
  case connecting = 2
  /// The channel is re-established. → settling, connecting, released
  case established = 3
  /// A payment is being settled: handing over waits for its end. → established, connecting, released
  case settling = 4
  /// Given up in good order. Nothing follows under this epoch.
  case released = 5

  /// With each beat its writer makes sure that the lock it holds is that of the file at the path.
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
  /// Grows by one with every beat of an epoch; the monitor looks only at whether it is a new one.
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
