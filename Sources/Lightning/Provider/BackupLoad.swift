import Ground

/// What the backups of the wallet may cost.
struct BackupLoad: Hashable, Sendable {
  /// Of backups above `small`: with 200 open invoices one has some 50 KB, and none is sent without a step of the channel.
  static let bytesPerMinute = 64 * 1024 * 1024
  private static let small = 4096
  /// Of the first on each connection, which are counted apart: a wallet that comes back says with it where its channel stands.
  static let firstBytesPerMinute = 16 * 1024 * 1024

  private var large = Allowance(Self.bytesPerMinute)
  private var first = Allowance(Self.firstBytesPerMinute)

  /// The first of a connection has an allowance of its own, as far as that goes.
  mutating func takes(_ count: Int, isFirst: Bool, at now: Instant) -> Bool {
    guard count > Self.small else { return true }
    if isFirst, first.takes(count, at: now) { return true }
    return large.takes(count, at: now)
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
