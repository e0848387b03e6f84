import CoreShape
import Heartbeat

// Time passes to the next moment at which something comes of it.
//
// Whoever waits looks four times a second, or tries again ten times a second. A look that finds nothing new is no moment
// at which everything else may happen too: it happens, and the time goes on.
extension Place {
  /// Looks that come to nothing go on for ever: after so many nothing more comes of the time alone.
  private static let looksMax = 700

  /// Nil if the time alone changes nothing any more.
  func nextMoment(_ glances: Glances) -> Instant? {
    guard var next = world.nextInstant(glances) else { return nil }
    guard world.isSomebodyLooking(glances, at: next) else { return next }
    var place = self
    for _ in 0..<Self.looksMax {
      place.world.make(.timePasses(until: next))
      guard place.look() else { return next }
      guard let following = place.world.nextInstant else { return nil }
      next = following
    }
    return nil
  }

  /// Everything before that instant is known to come to nothing.
  mutating func pass(until instant: Instant, _ onMove: (inout World) -> Void) {
    while let next = world.nextInstant, next < instant {
      make(.timePasses(until: next))
      guard look() else { break }
    }
    make(.timePasses(until: instant))
    onMove(&world)
  }

  /// Does all that is due at this instant; false if something comes of it.
  private mutating func look() -> Bool {
    world.hasEffect.value = false
    var moves: [Move] = []
    for _ in 0..<Self.stepsOfLook {
      moves.removeAll(keepingCapacity: true)
      world.ready(into: &moves)
      switch moves.first {
      case nil: return true
      case .wake?, .work?: make(moves[0])
      default: return false
      }
      if world.hasEffect.value || world.violation != nil { return false }
    }
    return false
  }

  private static let stepsOfLook = 20
}

extension World {
  /// One of those whose deadline this is may be somebody who only looks.
  fileprivate func isSomebodyLooking(_ glances: Glances, at instant: Instant) -> Bool {
    glances.app?.deadline == instant || glances.notifier?.deadline == instant
  }
}
