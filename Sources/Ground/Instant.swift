/// A point on a core's clock: nanoseconds since an arbitrary start, never wall time.
public struct Instant: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (instant: Instant, span: TimeSpan) -> Instant {
    let (sum, overflowed) = instant.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return Instant(nanoseconds: overflowed ? (span.nanoseconds > 0 ? .max : .min) : sum)
  }

  public static func - (left: Instant, right: Instant) -> TimeSpan {
    let (difference, overflowed) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflowed ? (left > right ? .max : .min) : difference)
  }

  package static func - (instant: Instant, span: TimeSpan) -> Instant {
    instant + TimeSpan(nanoseconds: -span.nanoseconds)
  }
}

extension Instant? {
  /// The earlier of both; nil is never. Deadlines are computed after every event, so it allocates no list.
  package mutating func bound(by other: Instant?) {
    if let other { self = min(self ?? other, other) }
  }
}

/// A length of time in whole nanoseconds.
public struct TimeSpan: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = TimeSpan(nanoseconds: 0)
  public static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1_000_000_000) }
  public static func milliseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1_000_000) }

  /// Whole milliseconds, rounded towards zero; for text and kernel timers.
  public var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }

  public static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.nanoseconds < right.nanoseconds }
  public static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    let (sum, overflowed) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflowed ? (right.nanoseconds > 0 ? .max : .min) : sum)
  }
}

// In journals both are a plain number of nanoseconds.
extension Instant: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}

extension TimeSpan: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}
