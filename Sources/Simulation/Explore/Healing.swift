import Ground

/// Nothing goes wrong any more and the user looks at the app: whether it then connects and all is settled.
struct Healing {
  /// Virtual time, and moves without any passing, in which all must be well.
  static let within = TimeSpan.seconds(120)
  static let movesAtOnce = 5000

  private(set) var world: World
  /// Up to the last time that the world's clock was set back.
  private var passed = TimeSpan.zero
  private var moves: [Move] = []

  init(_ world: World) {
    self.world = world
    self.world.make(.noMoreFaults)
    if !world.phone.device.hasNetwork { self.world.make(.network(isThere: true)) }
    for role in [Role.app, .extension] where self.world.glance(role)?.isFrozen == true {
      self.world.make(.thaw(role))
    }
  }

  /// The digests on the way until all was well, or until one from where it is known to become so; nil if it does not.
  /// `onMove` sees the world after each move.
  mutating func run(isKnown: (UInt64) -> Bool, onMove: (inout World, TimeSpan) -> Void = { _, _ in })
    -> [UInt64]?
  {
    var way: [UInt64] = []
    while passed < Self.within {
      guard rest(onMove) else { break }
      if world.violation != nil { return nil }
      if world.isSettled {
        world.checkAtTheEnd()
        return world.violation == nil ? way : nil
      }
      passed = passed + (world.peerNow - .zero)
      world.normalise()
      let digest = Digest.of(world)
      if isKnown(digest) { return way }
      way.append(digest)
      goOn(onMove)
      if world.violation != nil { return nil }
    }
    world.reportNoProgress(within: Self.within)
    onMove(&world, passed)
    return nil
  }

  /// Until nobody has anything to do.
  private mutating func rest(_ onMove: (inout World, TimeSpan) -> Void) -> Bool {
    for _ in 0..<Self.movesAtOnce {
      moves.removeAll(keepingCapacity: true)
      world.ready(into: &moves)
      guard let move = moves.first, world.violation == nil else { return true }
      world.make(move)
      onMove(&world, passed)
    }
    return false
  }

  /// To the next moment at which something comes of it.
  private mutating func passTime() {
    let end = world.now + Self.within
    repeat {
      world.make(.timePasses(until: world.nextInstant ?? end))
    } while world.now < end && world.look()
  }

  private mutating func goOn(_ onMove: (inout World, TimeSpan) -> Void) {
    switch world.phone.app {
    case .notRunning, .background, .suspended: world.make(.open)
    case .launching, .foreground, .terminating:
      passTime()
    }
    onMove(&world, passed)
  }
}
