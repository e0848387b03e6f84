import Ground
import Guardrails
import PhonePolicy
import Testing

@testable import Simulation

@Suite("The time from opening the app to its connection") struct OpeningTests {
  private let category = "INCOMING_PAYMENT"

  private func opened(by touch: NotificationTouch, _ prepare: (inout World) -> Void = { _ in }) -> Bool {
    var world = World()
    world.registerCategories()
    prepare(&world)
    world.touch(1, category: category, touch)
    return world.opening.since != nil
  }

  @Test func `A tap, and an action that opens the app, start the time to the connection`() {
    #expect(opened(by: .tap))
    #expect(opened(by: .action("OPEN_NOW")))
  }

  @Test
  func
    `A dismissal, an unknown action and a tap on a restarting phone do not start the time to the connection`()
  {
    #expect(!opened(by: .dismiss))
    #expect(!opened(by: .action("CALL_BACK")))
    #expect(
      !opened(by: .tap) {
        $0.tellPhone(.downRequested); $0.deliverPhoneEvents()
      })
  }

  @Test func `After an action the time to the connection ends when the app is connected`() {
    var world = World()
    world.registerCategories()
    world.touch(1, category: category, .action("OPEN_NOW"))
    var moves: [Move] = []
    while world.connecting.count == 0, world.now < Instant(nanoseconds: 60_000_000_000) {
      moves.removeAll()
      world.ready(into: &moves)
      world.make(moves.first ?? .timePasses(until: world.nextInstant ?? world.now + .seconds(1)))
    }
    #expect(world.connecting.count == 1)
    #expect(world.opening.since == nil)
  }
}
