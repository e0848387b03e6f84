import Ground
import Testing

@testable import Simulation

extension World {
  /// The app was opened, made an invoice and was swiped away: the extension receives its payment.
  static func withAClosedApp(_ settings: WorldSettings = WorldSettings()) throws -> World {
    var world = World(settings: settings)
    world.make(.open)
    world.live(for: .seconds(5))
    world.make(.invoice)
    world.live(for: .seconds(1))
    world.make(.quit)
    world.live(for: .seconds(5))
    try #require(world.life(.app) == nil && world.unpaidInvoices == [0])
    return world
  }

  /// Steps until the span is over.
  mutating func live(for span: TimeSpan) {
    let end = peerNow + span
    while peerNow < end { step(until: end) }
  }

  /// Makes the first ready move, or lets time pass.
  mutating func step(until end: Instant) {
    var moves: [Move] = []
    ready(into: &moves)
    let left = now + (end - peerNow)
    make(moves.first ?? .timePasses(until: min(nextInstant ?? left, left)))
  }
}
