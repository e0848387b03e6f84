import Testing
import WaitingTests

@testable import Baton

@Suite("The hand of a live screen", .waits) struct LiveHandTests {
  private let phone = CommandPhone()

  @Test func `The wallet can be paid although its holder is frozen, or was killed`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let hand = LiveHand(phone.phone)
    let said: [(LiveAction, String)] = [
      (.freeze, "is stopped; `thaw` continues it"), (.pay, "offered: "), (.home, "in the background"),
      (.open, "in front"), (.thaw, "goes on"), (.thaw, "no holder of the node is frozen"),
      (.kill, "is killed"),
      (.pay, "held: "),
    ]
    for (action, words) in said {
      let outcome = hand.perform(action)
      #expect(outcome.sentence.contains(words), "\(outcome)")
      if action == .kill { try phone.waitUntilAway() }
    }
  }
}
