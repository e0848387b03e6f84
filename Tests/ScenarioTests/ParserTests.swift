import Heartbeat

@testable import Baton

@Suite("The language of stories", .waits) struct ParserTests {
  private func refusal(of text: String) -> ScenarioError? {
    do throws(ScenarioError) {
      _ = try ScenarioParser.parse(text)
      return nil
    } catch { return error }
  }

  @Test func `The comment directly above a line belongs to it, but the title's comment does not`() throws {
    let story = try ScenarioParser.parse(
      """
      # The title
      the app opens

      # The user goes home,
      # for a while
      the app goes home
      2 min pass
      # Back

      the app opens
      who holds the node?
        > the app holds the node
      # The end
      the verdict
        > sound
      """)
    expect(
      story.steps.map { story.comment(above: $0) },
      is: [
        nil, "The user goes home, for a while", nil, nil, nil, "The end",
      ])
  }

  @Test func `A story is parsed line by line, with expected answers below their question`() throws {
    let story = try ScenarioParser.parse(
      """
      # The title
      #
      # More of it.

      payment 1 of 50000 sat arrives
      the extension is killed
      2 min pass
      wait until the app shows “receiving payment in background”
      how is the extension?
        > one
        >   two, with a margin
      the wall clock steps by -2 h
      the verdict
        > sound
      """)
    expect(story.title, is: "The title")
    expect(story.payments, is: [PlannedPayment(number: 1, amountSat: 50_000)])
    expect(
      story.steps.map(\.command.action),
      is: [
        .pay(number: 1), .kill(.extension), nil, nil, nil, .stepClock(seconds: -7200), nil,
      ])
    guard case .pass(let span) = story.steps[2].command, case .wait(let condition) = story.steps[3].command,
      case .ask(let answer) = story.steps[4].command, case .verdict = story.steps[6].command
    else {
      Issue.record("\(story.steps)")
      return
    }
    expect(span, is: .seconds(120))
    expect(condition.words, is: "until the app shows “receiving payment in background”")
    let scene = Scene.empty(app: Scene.Process(state: "foreground", shows: "receiving payment in background"))
    #expect(condition.holds(scene) && !condition.holds(.empty()))
    expect(answer(scene, story), is: ["the extension has never run"])
    expect(story.steps.map(\.line), is: [5, 6, 7, 8, 9, 12, 13])
    expect(story.steps[4].expected, is: ["one", "  two, with a margin"])
    expect(story.place, is: .real(because: "the simulated world has no wall clock"))
  }

  @Test(
    arguments: [
      ("", 1, "begins with its title"),
      ("the app opens", 1, "begins with its title"),
      ("#\n#\nthe verdict", 3, "begins with its title"),
      ("# x\nthe app opens\n", 2, "ends without `the verdict`"),
      (
        "# x\nthe ap opens\nthe verdict", 2,
        "`the ap opens` is not a line of the story language; the nearest are `the app opens`"
      ),
      ("# x\nhow is the node?\nthe verdict", 2, "the nearest are `how is the PROCESS?`"),
      ("# x\nthe node is killed\nthe verdict", 2, "`the PROCESS is killed`"),
      ("# x\nthe app opens twice\nthe verdict", 2, "is not a line of the story language"),
      ("# x\nthe app\nthe verdict", 2, "is not a line of the story language"),
      ("# x\n the app opens\nthe verdict", 2, "begins at the margin"),
      (
        "# x\nthe extension runs on after its content\nthe extension is killed after its content\nthe verdict",
        3,
        "the phone does not take this setting beside those above: --after-content is given twice; give it once"
      ),
      ("# x\n> so\nthe verdict", 2, "begins at the margin"),
      ("# x\n  > so\nthe verdict", 2, "follows no question"),
      ("# x\nthe verdict\nthe app opens", 3, "`the verdict` in line 2 must be the last line"),
      ("# x\npayment 2 of 5 sat arrives\nthe verdict", 2, "the next new payment is payment 1, not 2"),
      (
        "# x\npayment 1 of 5 sat arrives\npayment 1 of 5 sat arrives\nthe verdict", 3,
        "`payment 1 arrives again`"
      ),
      ("# x\npayment 1 arrives again\nthe verdict", 2, "no payment 1 has arrived yet"),
      ("# x\nthe user pays invoice 2 of 5 sat\nthe verdict", 2, "the next new invoice is invoice 1, not 2"),
      ("# x\nwait until invoice 1 is paid\nthe verdict", 2, "invoice 1 has not been paid yet"),
      ("# x\nwait until payment 1 has settled\nthe verdict", 2, "no payment 1 has arrived yet"),
      ("# x\npayment 1 of 0 sat arrives\nthe verdict", 2, "is not a line of the story language"),
      ("# x\npayment 1 of 1000001 sat arrives\nthe verdict", 2, "is not a line of the story language"),
      (
        "# x\npayment 1 of 99999999999999999999 sat arrives\nthe verdict", 2,
        "is not a line of the story language"
      ),
      ("# x\npayment 1 of ٣ sat arrives\nthe verdict", 2, "is not a line of the story language"),
      ("# x\n5 pass\nthe verdict", 2, "is not a line of the story language"),
      ("# x\n5 days pass\nthe verdict", 2, "is not a line of the story language"),
      ("# x\nthe wall clock steps by 1 h\nthe verdict", 2, "is not a line of the story language"),
      ("# x\nthe wall clock steps by +1 ms\nthe verdict", 2, "is not a line of the story language"),
      ("# x\nwait until the app shows connected\nthe verdict", 2, "is not a line of the story language"),
      ("# x\nthe battery is at 101 percent\nthe verdict", 2, "is not a line of the story language"),
      ("# x\na Focus is switched in\nthe verdict", 2, "the nearest are `a Focus is switched SWITCH`"),
      ("# x\nthe task one is launched\nthe verdict", 2, "`the task “ID” is launched`"),
      ("# x\nwait until the phone is suspended\nthe verdict", 2, "`wait until the PROCESS is suspended`"),
      ("# x\nthe network goes\nthe verdict", 2, "the nearest are `the network goes away`"),
      (
        "# x\nthe app opens\nthe phone runs a debug build\nthe verdict", 3,
        "belongs in the head of a story; write it above line 2"
      ),
      (
        "# x\nthe phone suspends the app after 1 s\nthe phone suspends the app after 2 s\nthe verdict", 3,
        "line 2 has this setting already"
      ),
      (
        "# x\nthe next push is lost\nwait until the app is warned of its memory\nthe verdict", 3,
        "no stage can play this story"
      ),
      (
        "# x\nthe next push is lost\nthe wall clock steps by +1 h\nthe verdict", 3,
        "no stage can play this story"
      ),
    ])
  func `An invalid story is refused in one sentence with the line`(text: String, line: Int, words: String)
    throws
  {
    let error = try #require(refusal(of: text))
    expect(error.line, is: line)
    #expect(error.description.hasPrefix("line \(line): "))
    #expect(error.sentence.contains(words), "\(error)")
    #expect(!error.description.unicodeScalars.contains { $0.value < 32 })
  }

  @Test func `A story has at most 1000 lines of at most 500 bytes`() {
    #expect(refusal(of: "# x\n" + String(repeating: "the app opens\n", count: 998) + "the verdict") == nil)
    expect(
      refusal(of: "# x\n" + String(repeating: "\n", count: 1000) + "the verdict")?.sentence.contains(
        "1000 lines"), is: true)
    expect(refusal(of: "# " + String(repeating: "x", count: 600))?.sentence.contains("500 bytes"), is: true)
  }

  @Test func `An unknown line is quoted without control characters`() throws {
    let found = try #require(refusal(of: "# x\nthe app \u{1b}[2J\u{7} opens\nthe verdict"))
    #expect(!found.description.unicodeScalars.contains { $0.value < 32 || $0.value == 127 })
  }

  @Test func `Lines may end with CRLF`() throws {
    let story = try ScenarioParser.parse(
      "# x\r\nthe app opens \r\nunder which epoch?\r\n  > epoch 2\r\nthe verdict\r\n")
    expect(story.steps.map(\.text), is: ["the app opens", "under which epoch?", "the verdict"])
    expect(story.steps.map(\.command.action), is: [.open, nil, nil])
    expect(story.steps[1].expected, is: ["epoch 2"])
  }

  /// What some forms need above them.
  private static let linesAbove = [
    "senders have AMOUNT sat": "senders try again by a schedule",
    "payment NUMBER of AMOUNT sat arrives after its invoice has expired": "senders try again by a schedule",
    "the peer comes up again": "the peer goes down",
  ]

  @Test(arguments: Phrase.all.map(\.form))
  func `Every form of the language is accepted and matches exactly one phrase`(form: String) throws {
    var line = form
    for (word, example) in [
      ("PROCESS", "extension"), ("NUMBER", "1"), ("AMOUNT", "1000"), ("TIMES", "3"), ("±TIME", "+5 s"),
      ("TIME", "5 s"), ("“TEXT”", "“connected”"), ("“ID”", "“one.two”"), ("SWITCH", "off"),
      ("PERCENT", "20"), ("MEGABYTES", "64"), ("PARTS", "3"), ("INVOICE", "1"),
      ("CODE", "fee_insufficient"),
    ] {
      line = line.replacingOccurrences(of: word, with: example)
    }
    expect(Phrase.all.filter { $0.match(line) != nil }.map(\.form), is: [form])
    let isForHead = Phrase.head.contains { $0.form == form }
    let before =
      form.contains("AMOUNT") || isForHead
      ? "" : "payment 1 of 1000 sat arrives\nthe user pays invoice 1 of 1000 sat\n"
    let after = form == Phrase.verdictForm ? "" : "the verdict"
    let head = Self.linesAbove[form].map { "\($0)\n" } ?? ""
    let below = form == "the peer goes down" ? "the peer comes up again\n" : ""
    #expect(refusal(of: "# x\n\(before)\(head)\(line)\n\(below)\(after)") == nil)
  }
}
