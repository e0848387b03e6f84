import Ground
import Guardrails
import Heartbeat

@testable import Simulation

/// A simulated world in which nothing goes wrong by itself. Who moves next is left to chance, which a number decides.
struct Story {
  var world: World
  private var generator: SeededGenerator

  init(_ number: UInt64, takeover: Takeover = .lock, splices: Bool = false) {
    var settings = WorldSettings()
    settings.splices = splices
    settings.guardConfiguration.takeover = takeover
    world = World(settings: settings)
    generator = SeededGenerator(seed: number)
  }

  /// The app in front, connected, with an invoice that nobody has paid.
  static func withInvoice(_ number: UInt64, takeover: Takeover = .lock) -> Story {
    var story = Story(number, takeover: takeover)
    story.world.make(.open)
    _ = story.waits { $0.isSettled }
    story.world.make(.invoice)
    _ = story.waits { !$0.unpaidInvoices.isEmpty }
    return story
  }

  /// The same, with the app behind and everything released.
  static func withAppBehind(_ number: UInt64, takeover: Takeover = .lock) -> Story {
    var story = withInvoice(number, takeover: takeover)
    story.goesHome()
    return story
  }

  mutating func goesHome() {
    world.make(.home)
    _ = waits { $0.phone.hasAppLetGo }
  }

  mutating func quits() {
    world.make(.quit)
    _ = waits { $0.life(.app) == nil }
  }

  /// Goes on until it is so; false if it has not become so in that time.
  mutating func waits(_ bound: TimeSpan = .seconds(60), until isSo: (World) -> Bool) -> Bool {
    let end = world.peerNow + bound
    while !isSo(world) {
      guard world.violation == nil, world.peerNow < end else { return false }
      var moves: [Move] = []
      world.ready(into: &moves)
      if moves.isEmpty {
        world.make(.timePasses(until: min(world.nextInstant ?? .distant, world.now + (end - world.peerNow))))
      } else {
        world.make(generator.pick(moves))
      }
    }
    return world.violation == nil
  }

  /// How long it takes from now on; nil if it does not come to it.
  mutating func spanUntil(_ isSo: (World) -> Bool) -> TimeSpan? {
    let start = world.peerNow
    return waits(until: isSo) ? world.peerNow - start : nil
  }
}

extension Instant {
  fileprivate static let distant = Instant(nanoseconds: .max)
}

extension World {
  func isConnected(_ role: Role) -> Bool {
    switch life(role)?.status {
    case .connected, .settling: true
    default: false
    }
  }

  var isPaid: Bool { payments.first?.state == .paid }
}
