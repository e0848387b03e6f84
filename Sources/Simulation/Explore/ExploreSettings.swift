import Ground

/// The explored world and its bounds.
public struct ExploreSettings: Hashable, Sendable {
  public var world = WorldSettings()
  public var bounds = Bounds.standard
  /// Continues after a violation, until one of each kind is found.
  public var findsAll = false

  /// At the start the app is suspended in the background, with what it has in memory; otherwise no process runs.
  public var appIsSuspended = false
  /// Continues after other violations, until this invariant breaks.
  public var seeks: Invariant?
  /// In the recovery runs the user does not open the app; then the payments are received all the same.
  public var userStaysAway = false

  public init() {}

  /// The start: the wallet has its channel and open invoices.
  var start: Place { Place(world: startWorld(), left: bounds) }

  /// The start's world, with or without a recorded story.
  public func startWorld(isRecorded: Bool = false) -> World {
    var settings = world
    settings.reusesNumbers = true
    // The time since the other end's last message would distinguish states that behave alike.
    settings.rules.silence = nil
    settings.holdTime = TimeSpan(nanoseconds: .max)
    settings.phone.extensionIdleTime = .seconds(6)
    var world = World(settings: settings)
    world.make(.open)
    world.settle(until: { $0.isSettled })
    for _ in 0..<bounds[.pushes] { world.make(.invoice) }
    world.settle(until: { $0.unpaidInvoices.count == bounds[.pushes] })
    if bounds[.moves] > 0 { world.backUp() }
    world.make(.home)
    if appIsSuspended {
      world.settle(until: { $0.lives.app?.value.isSuspended == true && $0.wires.all.isEmpty })
    } else {
      world.settle(until: { $0.lives.app?.value.claim == nil })
      world.make(.quit)
      world.settle(until: { $0.lives.app == nil && $0.presenceQueue.isEmpty && $0.wires.all.isEmpty })
    }
    world.normalise()
    world.isRecorded = isRecorded
    return world
  }
}

extension World {
  /// A payment: with its steps the peer gets the open invoices, which another device needs.
  fileprivate mutating func backUp() {
    let before = unpaidInvoices.count
    make(.invoice)
    settle(until: { $0.unpaidInvoices.count > before })
    if let last = unpaidInvoices.last { make(.pay(last)) }
    settle(until: { $0.isSettled })
  }

  /// Makes the moves that need no user or fault, one after the other, until `condition` holds.
  mutating func settle(until condition: (World) -> Bool) {
    var moves: [Move] = []
    for _ in 0..<100_000 where !condition(self) {
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
