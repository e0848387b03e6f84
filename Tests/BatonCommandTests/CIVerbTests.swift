@testable import Baton

/// `baton ci` with the programs of docs/examples, which share no code with the wallet.
@Suite(
  "baton ci", .serialized,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs /usr/bin/python3"),
  .waits)
struct CIVerbTests {
  private let scratch = TemporaryDirectory()
  private static let project = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  static func story(_ name: String) -> String { "\(project)/Tests/Scenarios/\(name).txt" }

  private var own: [String] {
    [
      "--app", "\(Self.project)/docs/examples/own-app.py", "--ext",
      "\(Self.project)/docs/examples/own-extension.py", "--level", "container",
    ]
  }

  private var verdict: JSONValue? { JSONValue(parsing: Array(scratch.text("evidence/verdict.json").utf8)) }

  @Test func `Two stories that never begin are enough: the others are not played`() throws {
    var report = CIReport(nil, evidence: "")
    #expect(!report.neverBegins)
    var never = ScenarioOutcome(file: "one", kind: .noProgress)
    never.endedBeforeTheFirstLine = true
    report.stories = [never, ScenarioOutcome(file: "two", kind: .skipped), never]
    #expect(report.neverBegins)
    report.stories.append(ScenarioOutcome(file: "three", kind: .noProgress))
    #expect(!report.neverBegins)
  }

  @Test func `Of an app that hangs without a word the outcome says so, and where its output is`() throws {
    let mute = scratch.write("mute", "#!/bin/sh\nexec sleep 1000\n")
    chmod(mute, 0o700)
    let words = ["--out", scratch("evidence"), "--app", mute, "--level", "container"]
    expect(
      try scratch.start("baton", ["ci"] + words + [Self.story("killed-in-front")]).end(),
      is: .exited(code: 3))
    let details = verdict?["stories"]?.elements?.first?["details"]?.elements?.compactMap(\.text) ?? []
    #expect(
      details.contains { $0.hasPrefix("the app (process ") && $0.hasSuffix("/os/output/app-1.log") },
      "\(details)")
  }

  @Test(arguments: [SIGINT, SIGKILL])
  func `Ended between two stories, it leaves the outcomes so far, without a verdict`(number: Int32) throws {
    let waiting = scratch.write(
      "waiting.txt", "# waits\nwait until the extension holds the node\nthe verdict\n")
    let child = try scratch.start(
      "baton", ["ci", "--out", scratch("evidence")] + own + [Self.story("killed-in-front"), waiting])
    try Wait.until("the first outcome to be on the disk", within: .seconds(60)) { verdict?["good"]?.int == 1 }
    #expect(verdict?["verdict"]?.text == "unfinished" && verdict?["exit"] == nil)
    kill(child.pid, number)
    expect(child.end(), is: (number == SIGINT ? .exited(code: 130) : .signalled(SIGKILL)))
    #expect(verdict?["good"]?.int == 1 && verdict?["stories"]?.elements?.count == 1)
    expect(verdict?["verdict"]?.text, is: "unfinished")
    #expect(scratch.text("evidence/junit.xml").contains(#"tests="1" failures="0""#))
    // After SIGKILL the story's daemons go on.
    _ = try scratch.start("baton", ["--home", scratch("evidence/phones/waiting"), "down"]).end()
  }

  // MARK: Which stories apply

  private func whyNot(_ lines: String, _ level: OwnPair.Level) throws -> String? {
    try ScenarioParser.parse("# x\n\(lines)\nthe verdict\n")
      .whyNot(on: OwnPair(app: "app", ext: nil, level: level))
  }

  @Test func `A payment needs the level peer, and the reason names its line`() throws {
    let line = "payment 1 of 5 sat arrives"
    let why = try whyNot("the app opens\n\(line)", .container)
    expect(why?.hasSuffix("(line 3: \(line))"), is: true, "\(why ?? "")")
    #expect(try whyNot(line, .peer) == nil)
    #expect(try whyNot(line, .journal) == nil)
  }

  @Test(arguments: [
    "the wallet is bitkit", "the start of the wallet's node takes 8 s", "what does the user see?",
    "wait until the app shows “connected”", "the task “a” is launched",
    "the app plays audio in the background",
    "the wallet's seed is kept for an unlocked phone", "the phone warns the app above 5 MB",
  ])
  func `What only Baton's own programs have does not apply at any level`(line: String) throws {
    for level in OwnPair.Level.allCases { #expect(try whyNot(line, level) != nil) }
  }

  @Test func `Most of Baton's stories about processes apply to a pair with a channel`() throws {
    let pair = OwnPair(app: "app", ext: "extension", level: .peer)
    let folder = "\(Self.project)/Tests/Scenarios"
    let applying = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      return try ScenarioParser.parse(text).whyNot(on: pair) == nil
    }
    #expect(applying.count >= 40, "\(applying.count)")
  }
}
