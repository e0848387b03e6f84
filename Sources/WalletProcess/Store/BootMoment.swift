import Ground

/// A CLOCK_BOOTTIME instant; only comparable within one boot.
public struct BootMoment: Hashable, Sendable {
  public var boot: BootID
  public var clock: Instant

  public init(boot: BootID, clock: Instant) {
    self.boot = boot
    self.clock = clock
  }

  /// nil for an instant of another boot or in the future, which no correct clock has written.
  func since(_ earlier: BootMoment) -> TimeSpan? {
    guard earlier.boot == boot, earlier.clock <= clock else { return nil }
    return clock - earlier.clock
  }
}
