import Ground

/// Statistics of how long the user or a sender waited.
public struct Waits: Hashable, Sendable {
  public private(set) var count = 0
  public private(set) var total = TimeSpan.zero
  public private(set) var longest = TimeSpan.zero

  public init() {}

  public var mean: TimeSpan { count == 0 ? .zero : TimeSpan(nanoseconds: total.nanoseconds / Int64(count)) }

  mutating func add(_ span: TimeSpan) {
    count += 1
    total = total + span
    longest = max(longest, span)
  }

  public mutating func add(_ other: Waits) {
    count += other.count
    total = total + other.total
    longest = max(longest, other.longest)
  }
}
