import Ground

// Time passes to the next moment at which something comes of it.
//
// Whoever waits looks four times a second, or tries again ten times a second. A look that finds nothing new is no moment
// at which everything else may happen too: it happens, and the time goes on.
extension Place {
  /// Looks that come to nothing may go on for ever: one of so many is a moment all the same.
  private static let looksMax = 40

  /// Nil if nobody waits for the time.
  func nextMoment(_ glances: Glances) -> Instant? {
    guard var next = world.nextInstant(glances) else { return nil }
    guard world.isSomebodyLooking(glances, at: next) else { return next }
    var later = world
    for _ in 0..<Self.looksMax {
      later.make(.timePasses(until: next))
      guard later.look(), let following = later.nextInstant else { break }
      next = following
    }
    return next
  }

  /// Everything before that instant is known to come to nothing.
  mutating func pass(until instant: Instant, _ onMove: (inout World) -> Void) {
    while let next = world.nextInstant, next < instant {
      world.make(.timePasses(until: next))
      guard world.look() else { break }
    }
    make(.timePasses(until: instant))
    onMove(&world)
  }
}

extension World {
  /// One of those whose deadline this is may be somebody who only looks.
  fileprivate func isSomebodyLooking(_ glances: Glances, at instant: Instant) -> Bool {
    glances.app?.deadline == instant || glances.notifier?.deadline == instant
  }

  private static let stepsOfLook = 20

  /// Does all that is due at this instant; false if something comes of it.
  mutating func look() -> Bool {
    hasEffect.value = false
    var moves: [Move] = []
    for _ in 0..<Self.stepsOfLook {
      moves.removeAll(keepingCapacity: true)
      ready(into: &moves)
      switch moves.first {
      case nil: return true
      case .wake?, .work?: make(moves[0])
      default: return false
      }
      if hasEffect.value || violation != nil { return false }
    }
    return false
  }
}
