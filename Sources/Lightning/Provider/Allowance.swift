import Ground

/// How much of something may come within one minute.
struct Allowance: Hashable, Codable, Sendable {
  static let window = TimeSpan.seconds(60)

  let limit: Int
  private var since: Instant?
  private var used = 0

  init(_ limit: Int) { self.limit = limit }

  /// Takes so much of it; false when that is more than is left.
  mutating func takes(_ amount: Int, at now: Instant) -> Bool {
    if let since, now - since < Self.window {
    } else {
      since = now
      used = 0
    }
    guard amount <= limit - used else { return false }
    used += amount
    return true
  }

  /// Whether nothing more of it is left now.
  func isUsedUp(at now: Instant) -> Bool {
    guard let since, now - since < Self.window else { return false }
    return used >= limit
  }

  mutating func forgetLongAgo(at now: Instant) {
    if let since, now - since >= Self.window { self = Allowance(limit) }
  }
}

extension Allowance: Shiftable {
  mutating func shift(by span: TimeSpan) { since.shift(by: span) }
}
