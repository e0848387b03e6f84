import Ground

/// When the user of a soak's phone opens the app, and how long the peer holds a payment until then.
struct AbsentUser {
  let holdSeconds: Int64
  /// From the last payment to the opening of the app, at most.
  let awayAtMost: TimeSpan

  /// Drawn between zero and the most; the number of the push before is the seed.
  func staysAway(afterPush number: Int) -> TimeSpan {
    let most = awayAtMost.wholeMilliseconds
    guard most > 0 else { return .zero }
    var chance = SeededGenerator(seed: UInt64(number))
    return .milliseconds(Int64(chance.below(Int(most) + 1)))
  }
}
