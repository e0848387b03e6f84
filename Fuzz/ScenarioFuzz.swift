@testable import Baton

/// A story file of `baton run`.
enum ScenarioFuzz: FuzzTarget {
  static let name = "scenario"
  static let longestInput = 1024

  static var seeds: [[UInt8]] {
    [
      "# x\nthe verdict\n",
      "# x\npayment 1 of 50000 sat arrives\npayment 1 arrives again\nthe verdict\n  > sound\n",
      "# x\r\nthe extension freezes\r\n5 s pass\r\nhow is the extension?\r\n  > it runs\r\nthe verdict\r\n",
      "# x\nwait until the app shows “connected”\nthe wall clock steps by -2 h\nthe verdict\n",
      "# x\nthe app goes home and comes back 50 times\nthe phone sleeps for 1 min\nthe verdict\n",
      "# x\nthe phone suspends the app after 1 s\nthe phone lets 2 silent pushes an hour through\na silent push arrives\nthe verdict\n",
      "# x\nthe phone runs a debug build\nthe task “a.b” is launched\nthe battery is at 20 percent\nthe verdict\n",
      "# x\na Focus is switched on\nthe user chooses “OPEN_NOW” of the newest notification\nthe verdict\n",
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    do throws(ScenarioError) {
      let story = try ScenarioParser.parse(text(bytes))
      promise(!story.title.isEmpty, "a story has no title")
      let begins = story.steps.firstIndex { !$0.command.isGiven } ?? story.steps.count
      promise(!story.steps[begins...].contains(where: \.command.isGiven), "a setting follows a step")
      promise(story.steps.allSatisfy { $0.line > 1 }, "a step precedes the title")
      promise(
        story.payments.map(\.number)
          == Array(1...max(1, story.payments.count)).prefix(story.payments.count).map { $0 },
        "payments are not counted from 1")
      let bare = Performance(
        scenario: story, played: story.steps.map { .init(step: $0, said: $0.expected) },
        verdict: .unsettled([]))
      promise(
        (try? ScenarioParser.parse(bare.rewritten))?.steps.map(\.expected) == story.steps.map(\.expected),
        "a rewritten story expects another answer")
    } catch { promiseOneLine(error.description) }
  }
}
