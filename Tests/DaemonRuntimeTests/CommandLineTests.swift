import TestKit

@testable import DaemonRuntime

@Suite struct CommandLineTests {
  enum Takeover: String { case lock, waitStale = "wait-stale" }

  static let declaration = CommandLineDeclaration(
    name: "phone", summary: "plays a phone",
    options: [
      OptionDeclaration("--home", value: .path("DIR"), default: "./.baton", help: "the phone's directory"),
      OptionDeclaration("--json", help: "one JSON document"),
    ],
    subcommands: [
      CommandLineDeclaration(
        name: "push", summary: "delivers a push",
        options: [
          OptionDeclaration("--after", "-a", value: .span, default: "500ms", help: "wait first"),
          OptionDeclaration("--count", value: .integer(1...9), help: "how many"),
          OptionDeclaration("--tag", value: .text("WORD"), mayRepeat: true, help: "a tag"),
          OptionDeclaration(
            "--takeover", value: .choice(["lock", "wait-stale"]), default: "lock", help: "which rule"),
          OptionDeclaration("--peer", value: .hostAndPort, help: "it's the peer"),
        ],
        positionals: [
          PositionalDeclaration("FILE", value: .path("FILE"), help: "the push"),
          PositionalDeclaration("MORE", count: .any, help: "what else"),
        ],
        examples: [("phone push a.apns", "delivers it")]),
      CommandLineDeclaration(
        name: "clock", summary: "sets the clock",
        positionals: [PositionalDeclaration("SECONDS", value: .integer(-99...99), help: "how far")]),
      CommandLineDeclaration(
        name: "app", summary: "user input",
        positionals: [PositionalDeclaration("DO", value: .choice(["open", "home"]), help: "what to do")]),
    ])

  private func parse(_ words: String...) throws -> ParsedCommandLine {
    guard case .run(let parsed) = try Self.declaration.parse(words) else {
      throw UsageError(description: "help")
    }
    return parsed
  }

  @Test func `Options are accepted with = or a space, and at any place`() throws {
    let parsed = try parse("--home=/x", "push", "-a", "2s", "a.apns", "--json", "--tag=1", "b", "--tag", "2")
    expect(parsed.verbs, is: ["push"])
    expect(parsed.positionals, is: ["a.apns", "b"])
    expect(parsed.text("--home"), is: "/x")
    expect(parsed.span("--after"), is: .seconds(2))
    #expect(parsed.isGiven("--json"))
    expect(parsed.all("--tag"), is: ["1", "2"])
  }

  @Test func `Option values have types and defaults`() throws {
    let parsed = try parse("push", "f", "--takeover=wait-stale", "--peer", "127.0.0.1:9", "--count", "9")
    expect(parsed.text("--home"), is: "./.baton")
    #expect(!parsed.isGiven("--home"))
    expect(parsed.span("--after"), is: .milliseconds(500))
    expect(parsed.choice("--takeover", as: Takeover.self), is: .waitStale)
    expect(parsed.hostAndPort("--peer")?.host, is: "127.0.0.1")
    expect(parsed.hostAndPort("--peer")?.port, is: 9)
    expect(parsed.integer("--count"), is: 9)
    #expect(parsed.text("--unheard-of") == nil)
  }

  @Test func `Arguments after two dashes, negative numbers and a single dash are positional`() throws {
    expect(try parse("push", "--", "-h", "--json").positionals, is: ["-h", "--json"])
    expect(try parse("clock", "-5").positionals, is: ["-5"])
    expect(try parse("push", "-90s").positionals, is: ["-90s"])
    expect(try parse("push", "-").positionals, is: ["-"])
  }

  @Test(arguments: [
    (["pusch"], "there is no command `pusch`; did you mean push?"),
    (["push", "f", "--hone", "x"], "there is no option `--hone`; did you mean --home?"),
    (["push", "f", "--tak=x"], "there is no option `--tak`; did you mean --takeover?"),
    (["zzzzzz"], "there is no command `zzzzzz`; see phone -h"),
    (["\u{1b}[2J"], "there is no command `.[2J`; see phone -h"),
    (
      [String(repeating: "z", count: 100_000)],
      "there is no command `\(String(repeating: "z", count: 80))…`; see phone -h"
    ),
    (
      ["push", "f", "--home", String(repeating: "z", count: 4096)],
      "--home must be a path of at most 4095 bytes, not `\(String(repeating: "z", count: 80))…`"
    ),
    ([], "phone needs a command: push, clock, app"),
    (["push"], "FILE is missing: the push; see phone push -h"),
    (["push", "f", "--after"], "--after needs a value; write --after TIME"),
    (["push", "f", "--after", "--json"], "--after needs a value; write --after TIME"),
    (["push", "f", "--after", "-1s"], "--after must be a time such as 500ms, 2s or 1h, not `-1s`"),
    (["push", "f", "--after", ""], "--after must not be empty; write --after TIME"),
    (["push", "f", "--after", "2"], "--after must be a time such as 500ms, 2s or 1h, not `2`"),
    (["push", "f", "--count", "10"], "--count must be a whole number from 1 to 9, not `10`"),
    (
      ["push", "f", "--count", "99999999999999999999"],
      "--count must be a whole number from 1 to 9, not `99999999999999999999`"
    ),
    (["push", "f", "--takeover", "x"], "--takeover must be one of lock, wait-stale, not `x`"),
    (
      ["push", "f", "--peer", "x:70000"],
      "--peer must be an IPv4 address and a port such as 127.0.0.1:9735, not `x:70000`"
    ),
    (["push", "f", "--json=yes"], "--json takes no value; write it alone"),
    (["push", "f", "--count", "1", "--count", "2"], "--count is given twice; give it once"),
    (["push", ""], "FILE must not be empty"),
    (["clock", "1", "2"], "`2` is one word too many; see phone clock -h"),
    (["clock", "100"], "SECONDS must be a whole number from -99 to 99, not `100`"),
  ])
  func `A command line that cannot be parsed gives one error sentence`(_ words: [String], _ sentence: String)
  {
    #expect(throws: UsageError(description: sentence)) { try Self.declaration.parse(words) }
  }

  @Test(arguments: [["-h"], ["push", "--bogus", "-h"], ["--help", "push"], ["push", "--after", "-h"]])
  func `A help option at any place prints the help`(_ words: [String]) throws {
    guard case .help(let text) = try Self.declaration.parse(words) else {
      Issue.record("no help for \(words)")
      return
    }
    #expect(
      text.hasPrefix(words.contains("push") ? "phone push: delivers a push\n" : "phone: plays a phone\n"))
  }

  @Test func `A command's help lists its declared arguments, options and examples`() throws {
    guard case .help(let text) = try Self.declaration.parse(["push", "-h"]) else {
      Issue.record("-h is not understood")
      return
    }
    expect(
      text,
      is: """
        phone push: delivers a push

        usage: phone push [options] FILE [MORE …]

        arguments:
          FILE  the push
          MORE  what else

        options:
          --after, -a TIME  wait first (default 500ms)
          --count N         how many
          --tag WORD        a tag
          --takeover WORD   which rule: lock, wait-stale (default lock)
          --peer HOST:PORT  it's the peer
          --home DIR        the phone's directory (default ./.baton)
          --json            one JSON document
          -h, --help        print this help

        examples:
          phone push a.apns  delivers it

        """)
  }

  @Test func `Options of a group have a section of their own, after the others`() throws {
    let declaration = CommandLineDeclaration(
      name: "phone", summary: "plays",
      options: [OptionDeclaration("--much", help: "more")].grouped("many of them") + [
        OptionDeclaration("--one", help: "once")
      ])
    guard case .help(let text) = try declaration.parse(["-h"]) else {
      Issue.record("-h is not understood")
      return
    }
    let one = try #require(text.firstRange(of: "\noptions:\n  --one"))
    let many = try #require(text.firstRange(of: "\n\nmany of them:\n  --much  more\n"))
    #expect(one.upperBound < many.lowerBound)
  }

  @Test(
    arguments: [
      ("0", 0), ("2s", 2_000_000_000), ("500ms", 500_000_000), ("1.5h", 5_400_000_000_000), ("3us", 3000),
      ("1ns", 1),
      ("0.000000001s", 1), ("10m", 600_000_000_000), ("1d", 86_400_000_000_000),
    ] as [(String, Int64)])
  func `A time span is parsed exactly, and once written it is parsed to the same span`(
    _ text: String, _ nanoseconds: Int64
  ) {
    expect(SpanText.parse(text), is: TimeSpan(nanoseconds: nanoseconds))
    expect(SpanText.parse(SpanText.write(TimeSpan(nanoseconds: nanoseconds)))?.nanoseconds, is: nanoseconds)
  }

  @Test(arguments: [
    "", "s", "-1s", "+1s", "1", "1 s", "1..5s", "1.s", ".5s", "99999999999h", "1e3s", "٣s", "1.1.1s",
  ])
  func `A malformed time span is refused`(_ text: String) { #expect(SpanText.parse(text) == nil) }

  @Test(arguments: [
    "", ":", "x:", ":1", "x:65536", "x:-1", "a:b:1", "[]:1", "localhost:1", "[::1]:1", "127.0.0.1:65536",
    "127.0.0.1:+1", "127.1:1", "300.0.0.1:1", "127.0.0.1", "127.0.0.1:1:1", "[[]]:8", "[a]:1", "a]:1",
  ])
  func `A malformed host and port is refused`(_ text: String) { #expect(HostAndPort(text) == nil) }

  @Test(arguments: ["push\na\u{1b}[2J", "--tag=\r\n", "--x\u{7}", "push \u{202e}a", "x\0y"])
  func `An error shows typed control characters as dots`(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    let error = #expect(throws: UsageError.self) {
      try Self.declaration.parse(words + ["--count", "\n", "one", "too", "many"])
    }
    expect(error?.description, is: error?.description.onOneLine)
    expect("\u{1b}[2J\n\u{9b}\u{2028}é🥕".onOneLine, is: ".[2J...é🥕")
    expect("a\u{202e}\u{200b}\u{feff}\u{200f}b 👩‍🚀".onOneLine, is: "a....b 👩‍🚀")
  }

  @Test(arguments: ShellCompletion.allCases)
  func `The completion script of each shell is valid`(_ shell: ShellCompletion) throws {
    let paths = ["/usr/bin/\(shell.rawValue)", "/bin/\(shell.rawValue)"]
    guard let program = paths.first(where: FileManager.default.isExecutableFile) else { return }
    let directory = TemporaryDirectory()
    try shell.script.write(toFile: directory("script"), atomically: true, encoding: .utf8)
    let check = Process()
    check.executableURL = URL(fileURLWithPath: program)
    check.arguments = ["-n", directory("script")]
    try check.start()
    check.waitUntilExit()
    expect(check.terminationStatus, is: 0)
  }

  @Test(arguments: [
    ("p", ["push"]), ("push --ta", ["--tag", "--takeover"]), ("push --takeover w", ["wait-stale"]),
    ("--home /x clock --js", ["--json"]), ("push --count ", []), ("app o", ["open"]), ("--home ", ["/"]),
    ("push a", ["/"]),
    ("push -", ["--after", "-a", "--count", "--tag", "--takeover", "--peer", "--home", "--json", "--help"]),
  ])
  func `Completion offers the declared verbs, options, choices and files`(_ line: String, _ offers: [String])
  {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    expect(Self.declaration.completions(of: words).map(\.word), is: offers)
  }

  @Test(arguments: [ShellCompletion.bash, .fish])
  func `A shell asks for each word after an equals sign, and shows words and files`(
    _ shell: ShellCompletion
  ) throws {
    let program = "/usr/bin/\(shell.rawValue)"
    guard FileManager.default.isExecutableFile(atPath: program) else { return }
    let directory = TemporaryDirectory()
    let baton = directory("baton")
    let asked = "printf '%s ' \"$@\" >'\(directory("asked"))'\nprintf '%s\\thelp\\n' seen.file /\n"
    try "#!/bin/sh\n\(asked)".write(toFile: baton, atomically: true, encoding: .utf8)
    expect(chmod(baton, 0o700), is: 0)
    try "".write(toFile: directory("see it"), atomically: true, encoding: .utf8)
    let line =
      shell == .bash
      ? "COMP_WORDS=(\(baton) ci --level se); COMP_CWORD=3; _baton_completion; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
      : "complete -C '\(baton) ci --level se'\n"
    try (shell.script + line).write(toFile: directory("script"), atomically: true, encoding: .utf8)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = (shell == .fish ? ["--no-config"] : []) + [directory("script")]
    process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
    process.standardOutput = output
    try process.start()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let shown = text.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
    #expect(Set(shown).isSuperset(of: ["seen.file", "see it"]))
    expect(
      try String(contentsOfFile: directory("asked"), encoding: .utf8),
      is: "completion \(shell.rawValue) =ci =--level =se ")
  }
}
