import Ground
import Lightning

/// The limits on the wallet's backups.
struct BackupLoad: Hashable, Sendable {
  /// For backups above `small`. One with 200 open invoices has some 50 KB, and is only sent with a step of the
  /// channel.
  static let bytesPerMinute = 64 * 1024 * 1024
  private static let small = 4096
  /// For the first backup of each connection, counted apart: a reconnecting wallet sends its current state with it.
  static let firstBytesPerMinute = 16 * 1024 * 1024

  private var large = RateLimit(per: .seconds(60))
  private var first = RateLimit(per: .seconds(60))

  /// Counts a backup; the first of a connection by its own limit, and beyond that by the common one.
  mutating func takes(_ count: Int, isFirst: Bool, at now: Instant) -> Bool {
    guard count > Self.small else { return true }
    if isFirst, first.takes(count, of: Self.firstBytesPerMinute, at: now) { return true }
    return large.takes(count, of: Self.bytesPerMinute, at: now)
  }

  mutating func forgetLongAgo(at now: Instant) {
    large.forgetLongAgo(at: now)
    first.forgetLongAgo(at: now)
  }
}

extension BackupLoad: Shiftable {
  mutating func shift(by span: TimeSpan) {
    large.shift(by: span)
    first.shift(by: span)
  }
}
