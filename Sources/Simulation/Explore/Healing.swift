import Ground

/// A recovery run: no more faults and the app in front. It must connect, and everything must settle. If the user stays
/// away, the payments must be received.
struct Healing {
  /// Bound of virtual time, and of moves without time passing.
  static let within = TimeSpan.seconds(120)
  static let movesAtOnce = 5000

  private(set) var world: World
  private let userStaysAway: Bool
  /// Virtual time up to the last reset of the world's clock.
  private var passed = TimeSpan.zero
  private var moves: [Move] = []
  /// The request to move is repeated, but not without time passing.
  private var asksNext = true
  private(set) var hasFailed = false

  init(_ world: World, userStaysAway: Bool) {
    self.world = world
    self.userStaysAway = userStaysAway
    self.world.make(.noMoreFaults(userStaysAway: userStaysAway))
    if !world.phone.device.hasNetwork { self.world.make(.network(isThere: true)) }
    for role in [Role.app, .extension] where self.world.glance(role)?.isFrozen == true {
      self.world.make(.thaw(role))
    }
    guard let other = self.world.otherDevice?.value else { return }
    if !other.phone.device.hasNetwork { self.world.make(.onOther(.network(isThere: true))) }
    for role in [Role.app, .extension] where other.lives[role]?.value.isFrozen == true {
      self.world.make(.onOther(.thaw(role)))
    }
  }

  /// The digests on the path to a settled state, or to a state known to recover; nil if the run fails. `onMove` gets
  /// the world after each move.
  mutating func run(isKnown: (UInt64) -> Bool, onMove: (inout World, TimeSpan) -> Void = { _, _ in })
    -> [UInt64]?
  {
    var path: [UInt64] = []
    while passed < Self.within {
      guard becomeQuiet(onMove) else {
        return fail("After \(Self.movesAtOnce) steps at one instant", onMove)
      }
      if world.violation != nil { return nil }
      if userStaysAway ? world.arePaymentsReceived : world.isSettled {
        world.checkAtTheEnd()
        return world.violation == nil ? path : nil
      }
      passed = passed + (world.peerNow - .zero)
      world.normalise()
      let digest = Digest.of(world)
      if isKnown(digest) { return path }
      path.append(digest)
      goOn(onMove)
      if world.violation != nil { return nil }
    }
    let span = "\(Self.within.nanoseconds / 1_000_000_000) s"
    return fail(userStaysAway ? "In \(span) without the user" : "\(span) after the last fault", onMove)
  }

  private mutating func fail(_ when: String, _ onMove: (inout World, TimeSpan) -> Void) -> [UInt64]? {
    hasFailed = true
    if userStaysAway { world.reportNotReceived(when) } else { world.reportNoProgress(when) }
    onMove(&world, passed)
    return nil
  }

  /// Makes moves until none is ready. False if there are too many.
  private mutating func becomeQuiet(_ onMove: (inout World, TimeSpan) -> Void) -> Bool {
    for _ in 0..<Self.movesAtOnce {
      moves.removeAll(keepingCapacity: true)
      world.ready(into: &moves)
      guard let move = moves.first, world.violation == nil else { return true }
      world.make(move)
      onMove(&world, passed)
    }
    return false
  }

  /// To the next deadline with an effect.
  private mutating func passTime() {
    let end = world.now + Self.within
    repeat {
      world.make(.timePasses(until: world.nextInstant ?? end))
    } while world.now < end && world.look()
  }

  private mutating func goOn(_ onMove: (inout World, TimeSpan) -> Void) {
    switch world.phone.app {
    case .notRunning, .background, .suspended:
      if userStaysAway { passTime() } else { world.make(.open) }
    case .foreground where world.isServedElsewhere && asksNext && !world.moving.isAsked(at: world.now):
      asksNext = false
      world.make(.askToMove)
    case .launching, .foreground, .terminating:
      asksNext = true
      passTime()
    }
    onMove(&world, passed)
  }
}
