import Ground

/// A limit on an amount per minute.
struct Allowance: Hashable, Codable, Sendable {
  static let window = TimeSpan.seconds(60)

  let limit: Int
  private var since: Instant?
  private var used = 0

  init(_ limit: Int) { self.limit = limit }

  /// Uses up the amount; false if less is left.
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
