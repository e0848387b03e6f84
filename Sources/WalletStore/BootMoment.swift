import Ground

/// An instant of the phone's running time, sleep included. It says something beside another one of the same boot alone.
public struct BootMoment: Hashable, Sendable {
  public var boot: BootID
  public var clock: Instant

  public init(boot: BootID, clock: Instant) {
    self.boot = boot
    self.clock = clock
  }

  /// Nil for one of another boot, and for one that is still to come: no clock that runs forth has written it.
  func since(_ earlier: BootMoment) -> TimeSpan? {
    guard earlier.boot == boot, earlier.clock <= clock else { return nil }
    return clock - earlier.clock
  }
}
