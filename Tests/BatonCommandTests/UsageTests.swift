import Ground
import Crypto
import DaemonRuntime
import Foundation
import PhonePolicy
import Testing
import WaitingTests

@testable import Baton

@Suite("The command line", .waits)
struct UsageTests {
  private func parse(_ words: String...) -> ParsedCommandLine? {
    guard case .run(let line)? = try? Program.declaration.parse(words) else {
      return nil
    }
    return line
  }

  private func failure<Value>(_ body: () throws(CommandFailure) -> Value) -> CommandFailure? {
    do throws(CommandFailure) {
      _ = try body()
      return nil
    } catch { return error }
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
    #expect(Set(ExitCode.allCases.map(\.word)).count == ExitCode.allCases.count)
    let gone = CommandFailure(ControlClientError.notRunning(daemon: "iosd", path: "/x"))
    let refused = CommandFailure(ControlClientError.refused("no"))
    #expect(gone.code == .daemonMissing && refused.code == .notDone)
  }

  @Test func `Global options are accepted before and after the verb`() {
    #expect(parse("--home", "/tmp/x", "status", "--json")?.text("--home") == "/tmp/x")
    #expect(parse("status", "--home=/tmp/x")?.text("--home") == "/tmp/x")
  }

  @Test func `An unknown verb's error names the nearest verb`() {
    #expect(throws: UsageError.self) { try Program.declaration.parse(["stauts"]) }
    do { _ = try Program.declaration.parse(["stauts"]) } catch { #expect("\(error)".contains("status")) }
  }

  @Test func `A negative time is an argument, not an option`() {
    #expect(parse("device", "clock", "-1h")?.positionals == ["-1h"])
    #expect(parse("device", "clock", "-1h", "--json")?.isGiven("--json") == true)
    #expect(parse("device", "clock", "+90s")?.positionals == ["+90s"])
    #expect(parse("logs", "-f")?.isGiven("-f") == true)
    do { _ = try Program.declaration.parse(["invoice", "5", "--expiry", "-1s"]) } catch {
      #expect("\(error)" == "--expiry must be a time such as 500ms, 2s or 1h, not `-1s`")
    }
  }

  @Test func `A value out of range is refused with the range`() {
    for (words, sentence) in [
      (
        ["invoice", "5", "--expiry", "10000000h"], "--expiry must be a time from 1s to 365d, not `10000000h`"
      ),
      (["invoice", "5", "--expiry", "366d"], "--expiry must be a time from 1s to 365d, not `366d`"),
      (["invoice", "5", "--expiry", "0"], "--expiry must be a time from 1s to 365d, not `0`"),
      (
        ["up", "--stale-after", "999999999d"],
        "--stale-after must be a time of at most 106751d, not `999999999d`"
      ),
      (
        ["replay", "--order", "9223372036854775808"],
        "--order must be a whole number from 0 to 9223372036854775807, not `9223372036854775808`"
      ),
      (["replay", "--order", "-1"], "--order must be a whole number from 0 up, not `-1`"),
    ] {
      #expect(throws: UsageError(description: sentence)) { try Program.declaration.parse(words) }
    }
    #expect(parse("invoice", "5", "--expiry", "365d")?.span("--expiry") == .seconds(31_536_000))
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
  func `Completion in bash offers rules after each comma, and topics of baton help`(
    line: String, offers: [String]
  ) throws {
    let scratch = Scratch()
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
    let script = scratch.write(
      "script",
      ShellCompletion.bash.script(for: Program.declaration)
        + "COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1); _baton_completion\n"
        + "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
    _ = scratch.end(try scratch.start("/bin/bash", [script]))
    #expect(scratch.text("said").split(separator: "\n").map(String.init) == offers)
  }

  @Test
  func `baton device clock takes only a step in whole seconds, forward or back`() throws {
    #expect(try DeviceVerb.stepSeconds("+1h") == 3600)
    #expect(try DeviceVerb.stepSeconds("-90s") == -90)
    #expect(try DeviceVerb.stepSeconds("2m") == 120)
    for bad in ["", "-", "+-1h", "1", "1.5s", "500ms", "99999999999h", "11y", "--1h"] {
      #expect(
        failure { () throws(CommandFailure) in try DeviceVerb.stepSeconds(bad) }?.code == .wrongUsage,
        "\(bad)")
    }
  }

  @Test func `Amounts are in satoshi, or in msat with the suffix`() throws {
    #expect(try InvoiceVerb.amountMsat("5000") == 5_000_000)
    #expect(try InvoiceVerb.amountMsat("5000sat") == 5_000_000)
    #expect(try InvoiceVerb.amountMsat("1msat") == 1)
    for bad in [
      "", "0", "-1", "1.5", "msat", "sat", "1e3", "18446744073709551615", "9999999999999999999999", "٣",
      "5 000",
    ] {
      #expect(
        failure { () throws(CommandFailure) in try InvoiceVerb.amountMsat(bad) }?.code == .wrongUsage,
        "\(bad)")
    }
    for large in ["18446744073709551615", "9999999999999999999999", "9999999999999999999999msat"] {
      #expect(
        failure { () throws(CommandFailure) in try InvoiceVerb.amountMsat(large) }?.sentence
          == "AMOUNT must be at least 1 msat and at most 21 million bitcoin, not `\(large)`")
    }
  }

  @Test func `baton withdraw refuses zero and names the smallest amount in satoshi`() throws {
    let scratch = Scratch()
    for word in ["0", "0sat", "00"] {
      let child = try scratch.start(
        "baton", ["withdraw", word, "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"])
      #expect(scratch.end(child) == .exited(code: 64))
      #expect(scratch.text("said") == "baton: AMOUNT must be at least 1 sat, not `\(word)`\n")
    }
  }

  @Test func `The path of a phone's directory in the root directory has one slash`() throws {
    let scratch = Scratch()
    let child = try scratch.start(
      "/bin/sh", ["-c", "cd / && exec \(Scratch.programs)/baton --home nowhere-at-all status"])
    #expect(scratch.end(child) == .exited(code: 69))
    #expect(scratch.text("said").contains("there is no phone at /nowhere-at-all;"))
  }

  @Test func `An unusable TMPDIR is named in the error`() throws {
    let scratch = Scratch()
    let child = try scratch.start(
      "/bin/sh", ["-c", "TMPDIR=/proc exec \(Scratch.programs)/baton soak --rounds 2 --warm-up 0"])
    #expect(scratch.end(child) == .exited(code: ExitCode.cannotCreate.rawValue))
    #expect(
      scratch.text("said")
        == "baton: cannot create a directory in /proc: no directory can be created there; name another place with TMPDIR\n"
    )
  }

  /// A closed database is read in a copy.
  @Test(
    arguments: [
      ("/proc", "it allows no new directory"), ("/nowhere-at-all", "No such file or directory"),
      ("/dev/null", "Not a directory"),
    ])
  func `If no directory for the container's copy can be made in TMPDIR, the error has the reason`(
    place: String, reason: String
  ) throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("down")
    // A database beside a rollback journal is not read in place.
    phone.scratch.write("phone/AppGroup/node.sqlite-journal", "0")
    let scratch = Scratch()
    func said(_ words: String) throws -> String {
      let line = "TMPDIR=\(place) exec \(Scratch.programs)/baton \(words)"
      let child = try scratch.start("/bin/sh", ["-c", line])
      #expect(scratch.end(child) == .exited(code: ExitCode.inputOutputError.rawValue))
      return scratch.text("said")
    }
    #expect(
      try said("inspect \(phone.phone.container)")
        == "baton: no directory for the snapshot's copy can be created in \(place) (\(reason)); set TMPDIR\n"
    )
    // Foundation takes another place if TMPDIR is not a directory.
    guard place == "/proc" else { return }
    #expect(
      try said("judge \(phone.phone.home)")
        == "baton: no directory for copies can be made in \(place) (\(reason)): name another one in TMPDIR, then judge again\n"
    )
  }

  @Test func `Control characters in a table's cell are shown as dots, on one line`() {
    let lines = Output.lines(of: [["PROCESS", "WHY"], ["mainappd", "\u{1b}[2J\nreceived\t1"], ["x", ""]])
    #expect(lines == ["PROCESS   WHY", "mainappd  .[2J.received.1", "x"])
  }

  @Test func `Of a process's rows in processes.jsonl the last counts, at the first one's position`() {
    func row(_ id: UInt64, reason: String? = nil) -> String {
      var row = ProcessRow(
        id: id, role: "app", pid: 7, startTime: 1, path: "/x", launchReason: "opened", startedWall: 1,
        startedAt: 1)
      row.reason = reason
      return row.json
    }
    let scratch = Scratch()
    let lines = (1...2000).map { row($0) } + [2000, 1].map { row($0, reason: "done") }
    scratch.write("processes.jsonl", lines.joined(separator: "\n"))
    let rows = ProcessRow.written(in: scratch("processes.jsonl")).lastOfEach
    #expect(rows.map(\.id) == Array(1...2000))
    #expect(rows.filter(\.hasEnded).map(\.id) == [1, 2000])
  }

  @Test(arguments: ["21s\0n", "5\n000", "\u{1b}[2J"])
  func `Control characters of a typed argument do not break an error's line`(word: String) throws {
    let step = failure { () throws(CommandFailure) in try DeviceVerb.stepSeconds(word) }
    let amount = failure { () throws(CommandFailure) in try InvoiceVerb.amountMsat(word) }
    for sentence in [step?.sentence, amount?.sentence] {
      let sentence = try #require(sentence)
      #expect(sentence == sentence.onOneLine)
    }
  }

  @Test(
    arguments: [
      ("", "not JSON"), ("{", "not JSON on line 1"), ("{\"aps\":{}\n,\n}", "not JSON on line 3"),
      ("{\"aps\":{},\n\"aps\":{}}", "has `aps` twice in one object, again on line 2"),
      ("\u{FEFF}{\"aps\":{\"alert\":\"x\"}}", "byte order mark"), ("[1]", "not an object"),
      ("3", "not an object"),
      ("{}", "no `aps`"),
      ("{\"aps\":{}}", "no `sound` and no `content-available: 1`"),
      ("{\"aps\":{\"content-available\":1.5}}", "no `sound` and no `content-available: 1`"),
      ("{\"aps\":{\"alert\":{\"title\":\"\"}}}", "neither title nor body"),
      ("{\"aps\":{\"alert\":null}}", "no `sound` and no `content-available: 1`"),
      ("{\"aps\":{\"alert\":{\"title\":1}}}", "neither title nor body"),
      ("{\"aps\":{\"alert\":{\"loc-key\":\"%@\"}}}", "neither title nor body"),
      ("{\"aps\":{\"alert\":\"\"}}", "neither title nor body"),
      ("{\"aps\":1}", "`aps`"), ("{\"aps\":{},\"Simulator Target Bundle\":1}", "Simulator Target Bundle"),
      (
        "{\"aps\":{\"alert\":\"x\"},\"Simulator Target Bundle\":\"com.apple.mobilesafari\"}",
        "the wallet is com.example.lightning"
      ),
      ("{\"aps\":{\"badge\":-1,\"sound\":\"\"}}", "no `badge` of 0 or more"),
      (
        String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
        "nested deeper than 64 brackets"
      ),
    ])
  func `An invalid push file is refused with the reason`(text: String, reason: String) {
    let failed = failure { () throws(CommandFailure) in try PushVerb.check(Array(text.utf8), name: "x.apns") }
    #expect(failed?.code == .wrongUsage)
    #expect(failed?.sentence.contains(reason) == true)
  }

  @Test(arguments: [#""badge":0"#, #""badge":5"#, #""sound":"default""#, #""sound":{"name":"coin"}"#])
  func `A push with only a badge or a sound is accepted`(aps: String) {
    let bytes = Array("{\"aps\":{\(aps)}}".utf8)
    #expect(failure { () throws(CommandFailure) in try PushVerb.check(bytes, name: "x") } == nil)
  }

  @Test(arguments: [
    (#""alert":"x","mutable-content":1,"interruption-level":"passive""#, 0),
    (#""alert":"x","mutable-content":true"#, 0), (#""alert":"x","mutable-content":"1""#, 1),
    (#""alert":"x","interruption-level":"foo""#, 1),
    (#""alert":"x","content-available":"1","interruption-level":2"#, 2),
  ])
  func `A value that the phone ignores is remarked on`(aps: String, count: Int) {
    let bytes = Array("{\"aps\":{\(aps)}}".utf8)
    #expect(failure { () throws(CommandFailure) in try PushVerb.check(bytes, name: "x") } == nil)
    #expect(PushVerb.remarks(on: bytes).count == count)
  }

  @Test(arguments: [
    ("incorrect_or_unknown_payment_details", "incorrect_or_unknown_payment_details"),
    ("0x400f", "incorrect_or_unknown_payment_details"), ("0X100C", "fee_insufficient"),
  ])
  func `A failure code is typed by its name or its number`(typed: String, name: String) throws {
    #expect(try LSPVerb.codeName(typed) == name)
  }

  @Test(arguments: [
    ("fee_insuficient", "did you mean fee_insufficient?"), ("0xffff", "see baton lsp fail -h"),
    ("4108", "see baton lsp fail -h"), ("0x", "see baton lsp fail -h"),
  ])
  func `Another failure code is refused in one short sentence`(typed: String, advice: String) {
    let failed = failure { () throws(CommandFailure) in _ = try LSPVerb.codeName(typed) }
    #expect(failed?.code == .wrongUsage && failed?.sentence.hasSuffix(advice) == true)
    #expect((failed?.sentence.count ?? 999) < 100)
  }

  @Test func `--seeds 0 is refused, as it could mean none, and 0..0 is seed 0`() {
    #expect(failure { () throws(CommandFailure) in _ = try SeedRange(typed: "0") }?.code == .wrongUsage)
    for (typed, range) in [("0..0", SeedRange(0, 0)), ("7", SeedRange(7, 7)), ("1..9", SeedRange(1, 9))] {
      #expect((try? SeedRange(typed: typed)) == range)
    }
  }

  @Test func `A push of up to 4096 bytes is accepted`() {
    let frame = "{\"aps\":{\"alert\":\"\"}}"
    let exact = frame.replacing("\"\"", with: "\"\(String(repeating: "x", count: 4096 - frame.utf8.count))\"")
    #expect(failure { () throws(CommandFailure) in try PushVerb.check(Array(exact.utf8), name: "x") } == nil)
    #expect(
      failure { () throws(CommandFailure) in try PushVerb.check(Array((exact + " ").utf8), name: "x") } != nil
    )
  }

  @Test func `Without running daemons a verb fails with the advice to start the daemons`() {
    let phone = Phone(home: Scratch().path)
    let failed = CommandFailure(ControlClientError.notRunning(daemon: "iosd", path: phone.iosdSocket))
    #expect(failed.code == .daemonMissing)
    #expect(failed.sentence.contains("baton up"))
    #expect(!phone.answers(.iosd))
    #expect(PhoneStopper(phone: phone).stop().isEmpty)
  }

  @Test func `Without colours text is printed plainly, and JSON has no colours`() {
    #expect(Output(isJSON: false, usesColour: false).paint("x", .red) == "x")
    #expect(Output(isJSON: false, usesColour: true).paint("x", .red) == "\u{1b}[31mx\u{1b}[0m")
    #expect(!Output(isJSON: true).usesColour)
  }

  @Test(arguments: ShellCompletion.allCases)
  func `Completion has every verb in every shell`(shell: ShellCompletion) {
    let script = shell.script(for: Program.declaration)
    for verb in Program.verbs { #expect(script.contains(verb.declaration.name)) }
  }
}
