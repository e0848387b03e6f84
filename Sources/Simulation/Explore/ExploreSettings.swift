import Ground

/// Which world is explored, and how far.
public struct ExploreSettings: Hashable, Sendable {
  public var world = WorldSettings()
  public var bounds = Bounds.standard
  /// It goes on after a broken promise, until one of each kind is found.
  public var findsAll = false

  public init() {}

  /// The wallet was used before: it has its channel and open invoices, and no process runs.
  var start: Place { Place(world: startWorld(), left: bounds) }

  /// The same, for somebody who listens to what follows.
  public func startWorld(isHeard: Bool = false) -> World {
    var settings = world
    settings.reusesNumbers = true
    // How long the other end has been silent would tell states apart that go on alike.
    settings.rules.silence = nil
    settings.holdTime = TimeSpan(nanoseconds: .max)
    settings.phone.extensionIdleTime = .seconds(6)
    var world = World(settings: settings)
    world.make(.open)
    world.settle(until: { $0.isSettled })
    for _ in 0..<bounds[.pushes] { world.make(.invoice) }
    world.settle(until: { $0.unpaidInvoices.count == bounds[.pushes] })
    world.make(.home)
    world.settle(until: { $0.lives.app?.value.claim == nil })
    world.make(.quit)
    world.settle(until: { $0.lives.app == nil && $0.letters.isEmpty && $0.wires.all.isEmpty })
    world.normalise()
    world.isHeard = isHeard
    return world
  }
}

extension World {
  /// Lets everything happen that happens by itself, one after the other, until something is so.
  mutating func settle(until isSo: (World) -> Bool) {
    var moves: [Move] = []
    for _ in 0..<100_000 where !isSo(self) {
      moves.removeAll(keepingCapacity: true)
      ready(into: &moves)
      if let move = moves.first {
        make(move)
      } else if let next = nextInstant {
        make(.timePasses(until: next))
      } else {
        return
      }
    }
  }
}
