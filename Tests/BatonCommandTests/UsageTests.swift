import Crypto

@testable import Baton
@testable import PhonePolicy

@Suite("The command line", .waits) struct UsageTests {
  private func parse(_ words: String...) -> ParsedCommandLine? {
    guard case .run(let line)? = try? Program.declaration.parse(words) else { return nil }
    return line
  }

  @Test func `Every verb has help with the global options, and is in the overview`() throws {
    for verb in Program.verbs {
      let name = verb.declaration.name
      guard case .help(let text) = try Program.declaration.parse([name, "-h"]) else {
        Issue.record("\(name) has no help")
        continue
      }
      #expect(text.hasPrefix("baton \(name): "))
      #expect(
        name == "completion" || name == "replay" || text.contains("examples:")
          || !verb.declaration.subcommands.isEmpty)
      #expect(text.contains("--json") && text.contains("--home"))
      #expect(Welcome.text.contains(name), "\(name) is not in the overview")
    }
  }

  @Test func `Each exit code has its own word, and a refused request another code than a missing daemon`() {
    expect(Set(ExitCode.allCases.map(\.word)).count, is: ExitCode.allCases.count)
    let gone = CommandFailure(ControlClientError.notRunning(daemon: "iosd", path: "/x"))
    let refused = CommandFailure(ControlClientError.refused("no"))
    #expect(gone.code == .daemonMissing && refused.code == .notDone)
  }

  @Test func `Global options are accepted before and after the verb`() {
    expect(parse("--home", "/tmp/x", "status", "--json")?.text("--home"), is: "/tmp/x")
    expect(parse("status", "--home=/tmp/x")?.text("--home"), is: "/tmp/x")
  }

  @Test func `A sender waits for 2 minutes, 30 s longer than the hold, or as long as --timeout says`() throws
  {
    let plain = try #require(parse("pay", "lnbc1"))
    expect(PaymentLoad.timeout(plain, hold: nil), is: .seconds(120))
    expect(PaymentLoad.timeout(plain, hold: .seconds(80)), is: .seconds(120))
    expect(PaymentLoad.timeout(plain, hold: .seconds(300)), is: .seconds(330))
    let given = try #require(parse("pay", "lnbc1", "--timeout", "3s"))
    expect(PaymentLoad.timeout(given, hold: .seconds(300)), is: .seconds(3))
  }

  @Test(
    arguments: [
      ("baton explore --without inc", ["incarnation"]),
      ("baton explore --without lock,inc", ["lock,incarnation"]),
      ("baton sim --without lock,fenced-writes,ea", ["lock,fenced-writes,early-beat"]),
      ("baton ablation --rules inc", ["incarnation"]),
      ("baton help st", ["status"]), ("baton help exit", ["exit-codes"]),
      ("baton help app o", ["open"]), ("baton help app open o", []),
    ])
  func `Completion offers rules after each comma, and topics of baton help`(line: String, offers: [String]) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).dropFirst().map(String.init)
    expect(Program.declaration.completions(of: words).map(\.word), is: offers)
  }

  @Test func `Control characters in a table's cell are shown as dots, on one line`() {
    let lines = Output.lines(of: [["PROCESS", "WHY"], ["mainappd", "\u{1b}[2J\nreceived\t1"], ["x", ""]])
    expect(lines, is: ["PROCESS   WHY", "mainappd  .[2J.received.1", "x"])
  }

  @Test func `Of a process's rows in processes.jsonl the last counts, at the first one's position`() {
    func row(_ id: UInt64, reason: String? = nil) -> String {
      var row = ProcessRow(
        id: id, role: "app", pid: 7, startTime: 1, path: "/x", launchReason: "opened", startedWallNs: 1,
        startedAtNs: 1)
      row.reason = reason
      return row.json
    }
    let scratch = TemporaryDirectory()
    let lines = (1...2000).map { row($0) } + [2000, 1].map { row($0, reason: "done") }
    scratch.write("processes.jsonl", lines.joined(separator: "\n"))
    let rows = ProcessRow.written(in: scratch("processes.jsonl")).lastOfEach
    expect(rows.map(\.id), is: Array(1...2000))
    expect(rows.filter(\.hasEnded).map(\.id), is: [1, 2000])
  }

  @Test func `Without colours text is printed plainly, and JSON has no colours`() {
    expect(Output(isJSON: false, usesColour: false).paint("x", .red), is: "x")
    expect(Output(isJSON: false, usesColour: true).paint("x", .red), is: "\u{1b}[31mx\u{1b}[0m")
    #expect(!Output(isJSON: true).usesColour)
  }

  @Test func `Completion has every verb`() {
    let words = Program.declaration.completions(of: [""]).map(\.word)
    for verb in Program.verbs { #expect(words.contains(verb.declaration.name)) }
  }

  @Test func `Baton's own colours are kept, every other escape sequence becomes dots`() {
    let output = Output(isJSON: false, usesColour: true)
    let foreign = "\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}"
    let line = "\(output.paint("bold", .bold)) \(foreign) \(output.paint(foreign, .red))"
    expect(
      output.shown(line), is: "\u{1b}[1mbold\u{1b}[0m .[2J.]0;x.. \u{1b}[31m.[2J.]0;x..\u{1b}[0m")
    expect(output.shown("\n\(foreign)\n"), is: "\n.[2J.]0;x...")
    expect(Output(isJSON: false, usesColour: false).shown("\u{1b}[1mbold\u{1b}[0m"), is: ".[1mbold.[0m")
  }
}
