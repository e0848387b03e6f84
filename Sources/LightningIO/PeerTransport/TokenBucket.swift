import Ground

/// A rate limit. Refilled evenly: a burst does not use up the limit for the rest of the second.
public struct TokenBucket: Sendable {
  var left: Int
  private var refilledAt: Instant
  private(set) var usedAt: Instant
  /// A handshake of this address was finished: a node there knows our id.
  var isKnown = false

  public init(left: Int, at now: Instant) {
    self.left = left
    refilledAt = now
    usedAt = now
  }

  public mutating func takesOne(of perSecond: Int, at now: Instant) -> Bool {
    let pace = 1_000_000_000 / Int64(max(perSecond, 1))
    let due = (now - refilledAt).nanoseconds / pace
    if due > 0 {
      left = Int(min(Int64(perSecond), Int64(left) + min(due, Int64(perSecond))))
      refilledAt = refilledAt + TimeSpan(nanoseconds: due * pace)
    }
    usedAt = now
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
