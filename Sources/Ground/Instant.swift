/// A point on the clock that a core is driven by: nanoseconds since some start, never wall time.
public struct Instant: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  public static func + (instant: Instant, span: Span) -> Instant {
    let (sum, overflowed) = instant.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return Instant(nanoseconds: overflowed ? (span.nanoseconds > 0 ? .max : .min) : sum)
  }

  public static func - (left: Instant, right: Instant) -> Span {
    let (difference, overflowed) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return Span(nanoseconds: overflowed ? (left > right ? .max : .min) : difference)
  }
}

/// A length of time in whole nanoseconds.
public struct Span: Hashable, Comparable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Span(nanoseconds: 0)
  public static func seconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000_000_000) }
  public static func milliseconds(_ count: Int64) -> Span { Span(nanoseconds: count * 1_000_000) }

  /// Whole milliseconds, rounded towards zero; for text and for timers of the kernel.
  public var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }

  public static func < (left: Span, right: Span) -> Bool { left.nanoseconds < right.nanoseconds }
  public static func + (left: Span, right: Span) -> Span {
    let (sum, overflowed) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return Span(nanoseconds: overflowed ? (right.nanoseconds > 0 ? .max : .min) : sum)
  }
}

// Both travel through journals as a bare number of nanoseconds.
extension Instant: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}

extension Span: Codable {
  public init(from decoder: any Decoder) throws {
    nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
  }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(nanoseconds)
  }
}
