import Ground
import Guardrails
import PhonePolicy
import Testing

@testable import Simulation

@Suite("Since when the user waits for the app") struct OpeningTests {
  private let category = "INCOMING_PAYMENT"

  private func opened(by touch: NotificationTouch, _ prepare: (inout World) -> Void = { _ in }) -> Bool {
    var world = World()
    world.registerCategories()
    prepare(&world)
    world.touch(1, category: category, touch)
    return world.opening.since != nil
  }

  @Test("A tap counts, and so does an action that opens the app") func opening() {
    #expect(opened(by: .tap))
    #expect(opened(by: .action("OPEN_NOW")))
  }

  @Test("What opens nothing does not count: a dismissal, an unknown action, a phone that is starting again")
  func nothing() {
    #expect(!opened(by: .dismiss))
    #expect(!opened(by: .action("CALL_BACK")))
    #expect(
      !opened(by: .tap) {
        $0.tellPhone(.downRequested); $0.deliverPhoneEvents()
      })
  }

  @Test("By an action the time runs until the app is connected") func connected() {
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
