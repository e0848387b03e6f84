import Simulation

@testable import Baton

/// The end of a payment for each state of the phone, with the wallet whose extension only notifies. One story each: here in
/// virtual time, in `RealScenarioTests` on real processes.
@Suite("A payment by the phone's state, with Bitkit's wallet", .waits) struct BitkitMatrixTests {
  private static let settled = "payment 1 of 50,000 sat: settled, and the wallet has it once"
  private static let waits = "payment 1 of 50,000 sat: waits for the wallet"
  private static let received = "Received payment: +50,000 sat: payment 1"
  private static let lost = "payment 1 of 50,000 sat: failed, as the wallet did not connect in time"
  private static let told = "Payment Incoming: Open now to receive - funds are being held"

  /// The answers to the story's questions contain these lines in this order.
  private func tells(_ lines: String..., in name: String) throws {
    let story = try Stories.story(name)
    var director = Director(story, on: SimulatedStage(story.settings().world, seed: 77))
    let performance = try director.run()
    #expect(performance.isSound && performance.differences.isEmpty, "\(performance.differences)")
    #expect(story.place == .everywhere && story.settings().world.wallet == .bitkit)
    var said = performance.played.flatMap(\.said)[...]
    for line in lines {
      guard let place = said.firstIndex(of: line) else {
        Issue.record("\(name) does not answer: \(line)")
        return
      }
      said = said[(place + 1)...]
    }
  }

  @Test(.shows("B-T.1")) func `Bitkit's app in front receives a payment without user input`() throws {
    try tells(Self.settled, "the app is in front", in: "bitkit-app-in-front.txt")
  }

  @Test(.shows("B-T.2"))
  func `A silent push wakes Bitkit's app, which receives, and the user is told all the same`()
    throws
  {
    try tells(
      Self.received, "silent push 1: completed with new-data", Self.settled,
      "nobody holds the node; the app held it last", in: "bitkit-app-in-the-background.txt")
  }

  @Test func `Told after the app has received, the user has both notifications until the app is opened`()
    throws
  {
    try tells(Self.received, Self.told, Self.received, in: "bitkit-alert-after-the-receipt.txt")
  }

  @Test(.shows("B-0.5", "B-1.3.1", "B-T.3", "K-17"), arguments: ["bitkit-notification-tapped.txt"])
  func
    `With Bitkit's app swiped away the user is told, and the tap opens the app, which completes the payment`(
      name: String
    ) throws
  {
    try tells(
      Self.told, Self.waits, "payment 1 of 50,000 sat, held", "the app is in front", Self.settled, in: name)
  }

  @Test(.shows("B-T.4")) func `In Low Power Mode Bitkit's silent push is dropped, and the user is told`()
    throws
  {
    try tells(
      Self.told, "silent push 1: dropped: Low Power Mode is on", "the app is suspended", Self.waits,
      Self.settled, in: "bitkit-low-power-mode.txt")
  }

  @Test(.shows("B-T.5"))
  func `Before the first unlock Bitkit's extension tells what is true without the payload's key`()
    throws
  {
    try tells(
      "Bitkit: Open Bitkit to check for new activity", Self.waits, "the phone is as ever", Self.settled,
      in: "bitkit-locked-after-a-reboot.txt")
  }

  @Test(.shows("B-T.6"))
  func `Without Background App Refresh Bitkit's silent push is dropped, and the user is told`()
    throws
  {
    try tells(
      Self.told, "silent push 1: dropped: Background App Refresh is off", Self.waits, Self.settled,
      in: "bitkit-background-refresh-off.txt")
  }

  @Test(.shows("B-T.7")) func `With notifications off Bitkit's payment waits until the user opens the app`()
    throws
  {
    try tells(
      "the extension has never run", Self.waits, Self.settled, in: "bitkit-notifications-not-allowed.txt")
  }

  @Test(.shows("B-0.7", "K-24"))
  func `One story with either wallet: the extension receives, or it tells and the tap receives`()
    throws
  {
    let bitkit = try Stories.text("bitkit-notification-tapped.txt")
      .split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !ScenarioParser.isOutput(String($0)) }
    func atTheNotification(_ lines: [Substring]) throws -> [String] {
      let story = try ScenarioParser.parse(lines.joined(separator: "\n"))
      var director = Director(story, on: SimulatedStage(story.settings().world, seed: 77))
      return try director.run().played.flatMap(\.said)
    }
    let receiving = bitkit.filter { $0 != "the wallet is bitkit" }.map {
      $0 == "wait until the user sees “Payment Incoming”" ? "wait until the user sees payment 1" : $0
    }
    expect(
      try atTheNotification(receiving).prefix(2),
      is: [
        "Received payment: +50,000 sat: payment 1", Self.settled,
      ])
    expect(try atTheNotification(bitkit).prefix(2), is: [Self.told, Self.waits])
  }

  @Test(
    .shows("K-25"),
    arguments: [
      ("Low Power Mode is switched on", Self.lost), ("Low Power Mode is switched off", Self.settled),
    ])
  func `Bitkit's silent push receives; without it the payment is lost to a user who comes after its hold`(
    line: String, payment: String
  ) throws {
    let story = try ScenarioParser.parse(
      """
      # A silent push, or none.
      the wallet is bitkit
      the peer holds a payment for 10 s
      the phone suspends the app after 1 s
      the app opens
      wait until the app is connected
      the app goes home
      wait until the app is suspended
      \(line)
      payment 1 of 50000 sat arrives
      wait until the user sees “Payment Incoming”
      wait until the newest silent push is over
      wait until nobody holds the node
      12 s pass
      what became of the payments?
      the app opens
      wait until the app is connected
      the verdict
      """)
    var director = Director(story, on: SimulatedStage(story.settings().world, seed: 77))
    expect(try director.run().played.flatMap(\.said).first, is: payment)
  }
}
