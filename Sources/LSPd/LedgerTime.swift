import Ground

/// The ledger's times are those of the monotonic clock, which begins again with each boot of the machine: the upper bits
/// have the number of the boot, so that later rows have later times. 0 is the first boot.
enum LedgerTime {
  /// A year's nanoseconds and more.
  private static let clockBits: Int64 = 55
  private static let clock: Int64 = 1 << clockBits - 1

  static func begin(ofBoot number: Int) throws -> TimeSpan {
    guard number < 1 << (63 - clockBits) else { throw LedgerError.tooManyBoots(number) }
    return TimeSpan(nanoseconds: Int64(number) << clockBits)
  }

  static func isOfOneBoot(_ one: Int64, _ other: Int64) -> Bool { one >> clockBits == other >> clockBits }

  /// In the boot of `now`.
  static func write(_ instant: Instant, at now: Instant) -> Int64 {
    now.nanoseconds & ~clock | instant.nanoseconds & clock
  }

  /// On the clock of its boot.
  static func read(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds & clock) }
}
