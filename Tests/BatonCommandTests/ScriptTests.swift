@testable import Baton

/// Exit codes, errors in JSON and unwritable outputs, as a script meets them.
@Suite("baton in a script", .waits) struct ScriptTests {
  private let scratch = TemporaryDirectory()

  private struct Ran {
    var how: ProcessEnd?
    var output: String
    var errors: String

    var code: Int32? { if case .exited(let code)? = how { code } else { nil } }
    var error: JSONValue? { JSONValue(parsing: Array(output.utf8))?["error"] }
  }

  private func run(_ words: [String], shell: String = #""$0" "$@" >"$HERE/output" 2>"$HERE/errors""#) throws
    -> Ran
  {
    scratch.write("output", "")
    scratch.write("errors", "")
    let script = "HERE='\(scratch.path)'; unset BATON_HOME; \(shell)"
    let child = try scratch.start("/bin/sh", ["-c", script, "\(Started.directory)/baton"] + words)
    return Ran(how: child.end(), output: scratch.text("output"), errors: scratch.text("errors"))
  }

  private func expectError(_ ran: Ran, _ code: ExitCode, _ words: [String]) {
    expect(ran.code, is: code.rawValue, "\(words): \(ran)")
    expect(ran.error?["exit"]?.int, is: Int64(code.rawValue), "\(words): \(ran)")
    expect(ran.error?["code"]?.text, is: code.word, "\(words): \(ran)")
    expect(ran.errors, is: "baton: \(ran.error?["message"]?.text ?? "")\n", "\(words): \(ran)")
  }

  // MARK: Errors

  @Test(arguments: Program.verbs.map { $0.declaration.name })
  func `With --json wrong usage of any verb is an error in JSON and a sentence on stderr`(verb: String) throws
  {
    for words in [[verb, "--json", "--nonsense"], ["--json", verb, "--home"]] {
      expectError(try run(words), .wrongUsage, words)
    }
  }

  // MARK: Versions and help

  @Test func `help VERB prints the same as VERB -h, and help exit-codes the table`() throws {
    for words in [["logs"], ["app", "open"]] {
      expect(try run(["help"] + words).output, is: try run(words + ["-h"]).output)
    }
    let version = try run(["--version"]).output
    #expect(version.hasPrefix("baton \(batonVersion)\ncontainer "))
    let versions = JSONValue(parsing: Array(try run(["--version", "--json"]).output.utf8))
    expect(versions?["version"]?.text, is: batonVersion)
    let codes = JSONValue(parsing: Array(try run(["help", "exit-codes", "--json"]).output.utf8))?.elements
    expect(codes?.compactMap { $0["exit"]?.int }, is: ExitCode.allCases.map { Int64($0.rawValue) })
    let usage = JSONValue(parsing: Array(try run(["help", "app", "open", "--json"]).output.utf8))
    expect(usage?["usage"]?.text, is: (try run(["app", "open", "-h"]).output))
    expect(usage?["command"]?.text, is: "app open")
    let script = JSONValue(parsing: Array(try run(["completion", "bash", "--json"]).output.utf8))
    expect(script?["script"]?.text, is: (try run(["completion", "bash"]).output))
    let both = ["sim", "--seeds", "1", "--length", "1s", "--results", "-", "--json"]
    expectError(try run(both), .wrongUsage, both)
    let unknown = try run(["help", "lgos"])
    #expect(unknown.code == 64 && unknown.errors == "baton: there is no help on `lgos`; did you mean logs?\n")
  }

  @Test func `SIGINT during a read of standard input ends baton by that signal, without output`() throws {
    // The shell holds both ends of the pipe: no data comes, and no end of file.
    let shell = #"mkfifo "$0/pipe"; exec 3<>"$0/pipe"; exec "$1" push - <&3"#
    let child = try scratch.start(
      "/bin/sh", ["-c", shell, scratch.path, "\(Started.directory)/baton"])
    let deadline = Clock.monotonicNow + .seconds(60)
    let reads = Array("0 0x0 ".utf8)
    while SmallFile.read("/proc/\(child.pid)/syscall", limit: 64)?.starts(with: reads) != true {
      let isTooLate = Clock.monotonicNow > deadline
      try #require(!isTooLate, "it never began to read")
    }
    kill(child.pid, SIGINT)
    expect(child.end(), is: .signalled(SIGINT))
    #expect(scratch.text("said").isEmpty)
  }
}

@Suite("docs/operating.md", .waits) struct ScriptPageTests {
  private let scratch = TemporaryDirectory()

  @Test func `The script in docs/operating.md runs as it stands`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/operating.md")
    let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```sh\n")
    try #require(parts.count == 2)
    let script = try #require(parts[1].components(separatedBy: "```").first)
    let lifts =
      CommandPhone.isSanitized ? script.replacing("baton up", with: "baton up --build debug") : script
    scratch.write("work/script", lifts)
    let child = try scratch.start(
      "/bin/sh",
      [
        "-c", #"cd "$0" && PATH="$1:$PATH" exec sh -eux script"#, scratch("work"),
        Started.directory,
      ])
    let end = child.end()
    _ = PhoneStopper(phone: Phone(home: scratch("work/phone"))).stop()
    expect(end, is: .exited(code: 0), "\(scratch.text("said"))")
    #expect(scratch.text("said").hasSuffix("\n20\n"), "\(scratch.text("said"))")
    #expect(scratch.text("said").contains(#""code":"not-running","exit":69"#))
  }
}
