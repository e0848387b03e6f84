import Ground

/// The clocks of a world.
public struct WorldClock: Hashable, Sendable {
  /// The phone's monotonic clock, which its processes use.
  public private(set) var now = Instant.zero
  /// The peer's clock: it runs while the device sleeps.
  public private(set) var peerNow = Instant.zero
  /// Wall clock minus monotonic clock. Baton's own guards never read the wall clock to decide anything.
  private var wallOffset = TimeSpan.zero
  /// The wall clock was set.
  package private(set) var wasStepped = false
  private var boots: UInt64 = 1

  package var wallNow: Instant { now + wallOffset }

  var boot: BootID { BootID(high: 0, low: boots) }

  /// False if `instant` is not later.
  @discardableResult
  mutating func pass(until instant: Instant) -> Bool {
    guard instant > now else { return false }
    peerNow = peerNow + (instant - now)
    now = instant
    return true
  }

  /// Time on a device that is not in hand; the peer's clock is kept with the device in hand.
  mutating func passAside(_ span: TimeSpan) { now = now + span }

  mutating func followPeer(_ other: inout WorldClock) {
    peerNow = other.peerNow
    other.peerNow = .zero
  }

  /// The phone's clock stands still, the peer's runs.
  mutating func passAsleep(_ span: TimeSpan) { peerNow = peerNow + span }

  /// Sets the wall clock.
  mutating func step(_ span: TimeSpan) {
    wallOffset = wallOffset + span
    wasStepped = true
  }

  /// The clock of this boot begins at zero.
  mutating func restart() {
    boots += 1
    now = .zero
  }

  /// To zero, for the explorer.
  mutating func startAnew() { now = .zero }
  mutating func startPeerAnew() { peerNow = .zero }
}
