import Simulation

@testable import Baton

/// The end of a payment for each state of the phone, one story each: here in virtual time, in `RealScenarioTests` on
/// real processes.
@Suite("A payment by the phone's state", .waits) struct BackgroundMatrixTests {
  private static let settled = "payment 1 of 50,000 sat: settled, and the wallet has it once"
  private static let waits = "payment 1 of 50,000 sat: waits for the wallet"
  private static let shown = "Received payment: +50,000 sat: payment 1"

  /// The answers to the story's questions, in order.
  private func answers(_ name: String) throws -> [String] {
    let story = try Stories.story(name)
    var director = Director(story, on: SimulatedStage(story.settings().world, seed: 77))
    let performance = try director.run()
    #expect(performance.isSound && performance.differences.isEmpty, "\(performance.differences)")
    expect(story.place, is: .everywhere)
    return performance.played.flatMap(\.said)
  }

  /// The answers contain these lines in this order.
  private func tells(_ lines: String..., in name: String) throws {
    var said = try answers(name)[...]
    for line in lines {
      guard let place = said.firstIndex(of: line) else {
        Issue.record("\(name) does not answer: \(line)")
        return
      }
      said = said[(place + 1)...]
    }
  }

  @Test(.shows("B-T.1", "P-0.1"))
  func `With the app in front a payment is received without user input, and no extension starts`()
    throws
  {
    try tells(Self.settled, "the extension has never run", "the app is in front", in: "app-in-front.txt")
  }

  @Test(.shows("B-T.2"))
  func `In the background a silent push wakes the app, and the payment has its notification`() throws {
    try tells(Self.shown, Self.settled, in: "silent-push-beside-a-visible-one.txt")
  }

  @Test(.shows("B-T.2"))
  func `If the silent push is dropped, a story that waits for its completion times out`() throws {
    let arrival = "payment 1 of 50000 sat arrives"
    let text = try Stories.text("silent-push-beside-a-visible-one.txt")
      .replacing(arrival, with: "Low Power Mode is switched on\n\(arrival)")
    let story = try ScenarioParser.parse(text)
    var director = Director(story, on: SimulatedStage(story.settings().world, seed: 77))
    guard case .unsettled(let sentences) = try director.run().verdict else {
      Issue.record("the story ended without the silent push")
      return
    }
    expect(sentences.first?.hasSuffix("gave up waiting until the newest silent push is completed"), is: true)
  }

  @Test(.shows("B-T.3", "L-K.2"))
  func `With the app swiped away the notification shows the payment, and a tap opens the app`()
    throws
  {
    try tells(Self.shown, "1", "the app is in front", "nothing", Self.settled, in: "notification-tapped.txt")
  }

  @Test(.shows("B-T.4")) func `In Low Power Mode the silent push is dropped, and the notification comes`()
    throws
  {
    try tells(
      "silent push 1: dropped: Low Power Mode is on", "the app is suspended", Self.settled,
      in: "low-power-mode.txt")
  }

  @Test(.shows("B-T.5"))
  func `Before the first unlock the push is shown as sent, and a tap completes the payment`()
    throws
  {
    try tells(
      "the push as it was sent", Self.waits, "the phone is as ever", "nothing", Self.settled,
      in: "locked-after-a-reboot.txt")
  }

  @Test(
    .shows("B-1.0"),
    arguments: [
      "extension-without-entitlement.txt", "frozen-until-the-phone-kills-it.txt", "killed-in-its-start.txt",
      "locked-after-a-reboot.txt",
    ])
  func `If the extension cannot deliver, the push is shown as sent, and the opened app has the payment`(
    story: String
  ) throws {
    let said = try answers(story)
    #expect(said.contains("the push as it was sent") && said.contains(Self.settled), "\(said)")
  }

  @Test(.shows("L-1.4b", "L-I.1"))
  func `An extension without the seed's access group ends, and its error names the group`()
    throws
  {
    try tells(
      "ended by itself with exit code 78: the extension has no entitlement for the access group A1B2C3D4E5.com.example.lightning; add it to the file of --entitlements-file, so the wallet cannot read its seed",
      in: "extension-without-entitlement.txt")
  }

  @Test(.shows("P-1.2"))
  func `At home the app releases the node and is suspended, and the extension receives`() throws {
    try tells(
      "the app is suspended", "nobody holds the node; the app held it last", "the app is suspended",
      "epoch 3", Self.settled, in: "app-suspended.txt")
  }

  @Test(.shows("B-1.5.2e", "K-22"))
  func `A silent push for which no payment comes is completed with no data`() throws {
    try tells("silent push 2: completed with no-data", in: "silent-pushes-held-back.txt")
  }

  @Test(.shows("B-T.6"))
  func `Without Background App Refresh the silent push is dropped, and the notification comes`() throws {
    try tells(
      "the app is suspended", "silent push 1: dropped: Background App Refresh is off", Self.shown,
      Self.settled, in: "background-refresh-off.txt")
  }

  @Test(.shows("B-T.7"))
  func `With notifications off no extension starts, and the payment waits until the user opens the app`()
    throws
  {
    try tells(
      "the extension has never run", Self.waits, "nothing", Self.settled, in: "notifications-not-allowed.txt")
  }
}
