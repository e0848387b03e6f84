import Ground
import Guardrails
import Heartbeat
import PhonePolicy
import Simulation

/// A simulated world without spontaneous faults. A seeded generator picks the next move.
package struct Story {
  package var world: World
  /// From now on every presence message is lost.
  package var losesLetters = false
  private var generator: SeededGenerator

  package init(
    _ number: UInt64, foregroundPushes: ForegroundPushes = .app, afterContent: AfterContent = .suspend
  ) {
    var settings = WorldSettings()
    settings.phone.afterContent = afterContent
    settings.phone.foregroundPushes = foregroundPushes
    self.init(number, settings: settings)
  }

  package init(_ number: UInt64, settings: WorldSettings) {
    world = World(settings: settings)
    generator = SeededGenerator(seed: number)
  }

  /// The app is in front and connected, with an unpaid invoice.
  package static func withInvoice(
    _ number: UInt64, foregroundPushes: ForegroundPushes = .app, afterContent: AfterContent = .suspend
  ) -> Story {
    var story = Story(number, foregroundPushes: foregroundPushes, afterContent: afterContent)
    story.world.make(.open)
    _ = story.waits { $0.isSettled }
    story.world.make(.invoice)
    _ = story.waits { $0.invoices.contains { $0.isStored } }
    return story
  }

  /// The same, with the app in the background and everything released.
  package static func withAppBehind(_ number: UInt64, afterContent: AfterContent = .suspend) -> Story {
    var story = withInvoice(number, afterContent: afterContent)
    story.goesHome()
    return story
  }

  package mutating func goesHome() {
    world.make(.home)
    _ = waits { $0.phone.isAppIdle }
  }

  package mutating func quits() {
    world.make(.quit)
    _ = waits { $0.life(.app) == nil }
  }

  /// Runs until the condition holds; false if it does not hold in time.
  package mutating func waits(_ bound: TimeSpan = .seconds(60), until isSo: (World) -> Bool) -> Bool {
    let end = world.peerNow + bound
    while !isSo(world) {
      guard world.violation == nil, world.peerNow < end else { return false }
      step(until: end)
    }
    return world.violation == nil
  }

  /// One possible move is made, or time passes.
  package mutating func step(until end: Instant) {
    while losesLetters, world.hasQueuedPresence { world.make(.losePresence(0)) }
    var moves: [Move] = []
    world.ready(into: &moves)
    if moves.isEmpty {
      world.make(.timePasses(until: min(world.nextInstant ?? .distant, world.now + (end - world.peerNow))))
    } else {
      world.make(generator.pick(moves))
    }
  }
}

extension Instant { fileprivate static let distant = Instant(nanoseconds: .max) }

extension World {
  package func isConnected(_ role: Role) -> Bool {
    switch life(role)?.status {
    case .connected, .settling: true
    default: false
    }
  }

  package var isPaid: Bool { payments.first?.state == .paid }
}

extension Said {
  /// The texts that the extension delivers.
  package var delivered: [(push: UInt64, outcome: PushOutcome)] {
    guard case .core(.wallet(.extension, .guardrail(_, let directives))) = self else { return [] }
    return directives.compactMap {
      if case .phone(.deliver(let push, let outcome)) = $0 { (push, outcome) } else { nil }
    }
  }
}
