import Ground

/// The clocks of a world.
public struct WorldClock: Hashable, Sendable {
  /// The phone's running time, which is the clock of its processes.
  public private(set) var now = Instant.zero
  /// The peer's clock: it goes on while the device sleeps.
  public private(set) var peerNow = Instant.zero
  /// How far the wall clock is from the running time. Ours never reads it to decide anything.
  private var wallOffset = TimeSpan.zero
  /// Somebody has changed it.
  private(set) var wasStepped = false
  private var boots: UInt64 = 1

  var wallNow: Instant { now + wallOffset }

  var boot: BootID { BootID(high: 0, low: boots) }

  /// False if that is no time.
  @discardableResult
  mutating func pass(until instant: Instant) -> Bool {
    guard instant > now else { return false }
    peerNow = peerNow + (instant - now)
    now = instant
    return true
  }

  /// The phone's clock stands still.
  mutating func passAsleep(_ span: TimeSpan) { peerNow = peerNow + span }

  /// By whoever keeps the phone's time.
  mutating func step(_ span: TimeSpan) {
    wallOffset = wallOffset + span
    wasStepped = true
  }

  /// The clock of this boot begins at zero.
  mutating func restart() {
    boots += 1
    now = .zero
  }

  /// It is now zero o'clock, for an explorer.
  mutating func startAnew() {
    now = .zero
    peerNow = .zero
  }
}
