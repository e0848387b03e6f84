import Lightning

@testable import Baton

@Suite("Senders that try again, in a story") struct SenderWordsTests {
  private func sender(
    _ state: String?, attempts: Int = 2, headline: String = "", text: String = "", button: String? = nil
  ) -> Scene.Sender {
    Scene.Sender(
      number: 1, attempts: attempts, state: state, headline: headline, text: text, button: button)
  }

  private func scene(_ sender: Scene.Sender) -> Scene {
    var scene = Scene.empty()
    scene.senders = [sender]
    return scene
  }

  private func words(_ sender: Scene.Sender) throws -> [String] {
    let story = try ScenarioParser.parse("# One\npayment 1 of 50000 sat arrives\nthe verdict")
    return Phrase.answer(to: "what do the senders see?", scene(sender), story)
  }

  @Test func `A sender's answer is its outcome with its attempts, and the words and button of a failure`()
    throws
  {
    expect(try words(sender(nil)), is: ["payment 1 of 50,000 sat: no answer yet"])
    expect(try words(sender("settled")), is: ["payment 1 of 50,000 sat: settled with attempt 2"])
    expect(try words(sender("pending")), is: ["payment 1 of 50,000 sat: pending with attempt 2"])
    let refused = sender(
      "failed", attempts: 1, headline: "Invoice Not Known", text: "Ask for a new invoice.")
    expect(
      try words(refused),
      is: [
        "payment 1 of 50,000 sat: failed after 1 attempt", "Invoice Not Known: Ask for a new invoice.",
      ])
    let again = sender("failed", headline: "Not Delivered", text: "Ask.", button: "Retry Now")
    expect(try words(again).last, is: "Not Delivered: Ask. “Retry Now”")
    expect(try words(again).first, is: "payment 1 of 50,000 sat: failed after 2 attempts")
  }

  @Test func `A sender has its answer with the first outcome that it was told`() {
    let isAnswered = Condition(until: "the sender of payment 1 has an answer")
    #expect(!isAnswered.holds(scene(sender(nil))))
    for state in ["settled", "pending", "failed"] {
      #expect(isAnswered.holds(scene(sender(state))))
    }
    #expect(!Condition(until: "the sender of payment 2 has an answer").holds(scene(sender("settled"))))
  }

  @Test func `How senders try again stands in the head`() throws {
    for (line, policy) in [
      ("senders try again as the peer hints", RetryPolicy.hint),
      ("senders try again by a schedule", .interim),
    ] {
      let story = try ScenarioParser.parse("# One\n\(line)\nthe verdict")
      expect(story.settings().world.retries, is: policy)
      #expect(throws: ScenarioError.self) {
        try ScenarioParser.parse("# One\nthe app opens\n\(line)\nthe verdict")
      }
    }
  }

  private func refusal(_ lines: [String]) -> String? {
    do throws(ScenarioError) {
      _ = try ScenarioParser.parse((["# One"] + lines + ["the verdict"]).joined(separator: "\n"))
      return nil
    } catch { return error.description }
  }

  private let retries = "senders try again by a schedule"

  @Test func `What senders can spend, and expired invoices, are for senders that try again`() throws {
    let late = "payment 1 of 1000 sat arrives after its invoice has expired"
    for line in ["senders have 1000 sat", late] {
      expect(refusal([line])?.hasPrefix("line 2: only senders that try again look at this"), is: true)
      #expect(refusal([retries, line]) == nil)
    }
    let story = try ScenarioParser.parse("# One\n\(retries)\nsenders have 7 sat\n\(late)\nthe verdict")
    expect(story.settings().senders, is: ["--spendable", "7"])
    expect(story.settings().world.sendersHaveMsat, is: 7000)
    expect(story.payments.map(\.amountSat), is: [1000])
    expect(story.payments.first?.expiresAfter, is: .seconds(1))
  }

  @Test func `Lines that need the peer are refused while the peer is down`() {
    let down = "the peer goes down"
    let up = "the peer comes up again"
    expect(refusal([up]), is: "line 2: the peer is not down; write `the peer goes down` above")
    expect(
      refusal([down]),
      is: "line 3: the peer is down since line 2; write `the peer comes up again` above this line")
    #expect(refusal([down, up, down, up]) == nil)
    for line in [down, "the peer restarts", "payment 1 of 1000 sat arrives", "a silent push arrives"] {
      expect(refusal([down, line, up])?.hasPrefix("line 3: "), is: true, "\(line)")
    }
    #expect(refusal([retries, down, "payment 1 of 1000 sat arrives", up]) == nil)
    #expect(refusal([down, "the app opens", "wait until the app is in front", up]) == nil)
  }
}
