import Ground

// Time passes to the next deadline with an effect.
//
// A waiting process looks four times a second, or retries ten times a second. A look without a result is made on the
// way: the explorer does not branch there.
extension Place {
  /// Looks without a result may go on forever, so the explorer branches after this many.
  private static let looksMax = 40

  /// Nil if there is no deadline.
  func nextMoment(_ glances: Glances) -> Instant? {
    guard var next = world.nextInstant(glances) else { return nil }
    guard world.isProcessDeadline(glances, at: next) else { return next }
    var later = world
    for _ in 0..<Self.looksMax {
      later.make(.timePasses(until: next))
      guard later.look(), let following = later.nextInstant else { break }
      next = following
    }
    return next
  }

  /// Everything due before `instant` is known to have no effect.
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
  /// The deadline belongs to a process, which may only look.
  fileprivate func isProcessDeadline(_ glances: Glances, at instant: Instant) -> Bool {
    if glances.app?.deadline == instant || glances.notifier?.deadline == instant { return true }
    guard let other = otherDevice, let its = otherGlances else { return false }
    let there = other.part { $0.pointee.clock.now } + (instant - now)
    return its.app?.deadline == there || its.notifier?.deadline == there
  }

  private static let stepsOfLook = 20

  /// Makes all moves that are due now; false if one has an effect.
  mutating func look() -> Bool {
    hasEffect.value = false
    var moves: [Move] = []
    for _ in 0..<Self.stepsOfLook {
      moves.removeAll(keepingCapacity: true)
      ready(into: &moves)
      switch moves.first {
      case nil: return true
      case .wake?, .work?, .onOther(.wake)?, .onOther(.work)?: make(moves[0])
      default: return false
      }
      if hasEffect.value || violation != nil { return false }
    }
    return false
  }
}
