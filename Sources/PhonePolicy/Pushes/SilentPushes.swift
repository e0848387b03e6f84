import Ground

/// The silent pushes of one phone: the one that waits, those in the app's hands, and what was spent of the budget.
public struct SilentPushes: Hashable, Codable, Sendable {
  struct Waiting: Hashable, Codable, Sendable {
    var id: UInt64
    var notBefore: Instant
    /// Why, as it was last written down.
    var reason: PushHold?
  }

  struct Open: Hashable, Codable, Sendable {
    var id: UInt64
    /// Nil while the app is in front: then no time runs.
    var endsBy: Instant?
    var isWarned = false
  }

  var waiting: Waiting?
  var open: [Open] = []
  /// When one was delivered in the background, as far back as the window goes.
  var deliveries: [Instant] = []
  public internal(set) var throttledUntil: Instant?
  /// The person swiped the app away: it gets none until it is opened again.
  var isSwipedAway = false
  var chance: Chance

  init(_ rules: SilentPushRules) { chance = Chance(seed: rules.seed) }

  /// What was long ago counts no more.
  mutating func forget(before now: Instant, _ rules: SilentPushRules) {
    deliveries.removeAll { $0 + rules.window <= now }
    if let until = throttledUntil, until <= now { throttledUntil = nil }
  }

  /// What a phone does not know any more after a reboot. Those in the app's hands end with the app.
  mutating func forgetAll() {
    deliveries = []
    throttledUntil = nil
    isSwipedAway = false
  }

  func budget(_ rules: SilentPushRules) -> Int { throttledUntil == nil ? rules.budget : rules.budget / 2 }

  /// When the budget next grows.
  func budgetChange(_ rules: SilentPushRules) -> Instant? {
    let first = deliveries.map { $0 + rules.window }.min()
    guard let until = throttledUntil else { return first }
    return min(first ?? until, until)
  }
}

extension SilentPushes: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    waiting?.notBefore.shift(by: span)
    for index in open.indices { open[index].endsBy?.shift(by: span) }
    for index in deliveries.indices { deliveries[index].shift(by: span) }
    throttledUntil?.shift(by: span)
  }
}
