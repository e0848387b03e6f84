import Ground
import Testing

@testable import Simulation

extension World {
  /// The app is opened, asks for money, and is swiped away: what is paid now is the extension's.
  static func withAClosedApp() throws -> World {
    var world = World()
    world.make(.open)
    world.live(for: .seconds(5))
    world.make(.invoice)
    world.live(for: .seconds(1))
    world.make(.quit)
    world.live(for: .seconds(5))
    try #require(world.life(.app) == nil && world.unpaidInvoices == [0])
    return world
  }

  /// Until it is time.
  mutating func live(for span: TimeSpan) {
    let end = peerNow + span
    while peerNow < end { step(until: end) }
  }

  /// The first that can happen, or time passes.
  mutating func step(until end: Instant) {
    var moves: [Move] = []
    ready(into: &moves)
    let left = now + (end - peerNow)
    make(moves.first ?? .timePasses(until: min(nextInstant ?? left, left)))
  }
}
