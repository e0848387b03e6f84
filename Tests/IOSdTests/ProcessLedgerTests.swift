@testable import IOSd
@testable import PhonePolicy

@Suite("iosd's process ledger", .waits) final class ProcessLedgerTests {
  private let directory = TemporaryDirectory()
  private var path: String { directory("processes.jsonl") }

  private func ledger() throws -> ProcessLedger { try ProcessLedger(path, clock: Clock()) }

  private func begin(_ ledger: ProcessLedger, _ role: String) -> UInt64 {
    ledger.begin { id in
      ProcessRow(
        id: id, role: role, pid: 7, startTime: 8, path: "/bin/true", launchReason: "test", startedWallNs: 1,
        startedAtNs: 2)
    }
  }

  private func end(_ ledger: ProcessLedger, _ id: UInt64) {
    ledger.change(id) { row in
      row.endedWallNs = 3
      row.reason = "done"
    }
    ledger.save(id)
  }

  @Test
  func
    `A running process stays in the process ledger however many later ones have ended, and its end is written`()
    throws
  {
    let ledger = try ledger()
    let app = begin(ledger, "app")
    for _ in 0..<300 { end(ledger, begin(ledger, "extension")) }
    expect(ledger.rows.map(\.id), is: [app] + Array(46...301))
    end(ledger, app)
    expect(AppendLog<ProcessRow>.rows(of: path).last?.id, is: app)
    expect(try self.ledger().rows.first { $0.id == app }?.reason, is: "done")
  }

  @Test
  func
    `After a restart of iosd the newest ended processes are kept, and a formerly running one is recorded as gone`()
    throws
  {
    var first: ProcessLedger? = try ledger()
    let app = begin(first!, "app")
    for _ in 0..<300 { end(first!, begin(first!, "extension")) }
    first = nil
    let second = try ledger()
    expect(second.rows.map(\.id), is: [app] + Array(47...301))
    expect(second.rows.first?.reason, is: "gone with an earlier iosd")
    expect(AppendLog<ProcessRow>.rows(of: path).last, is: second.rows.first)
    expect(begin(second, "app"), is: 302)
  }
}

@Suite("The output of a phone's process", .waits) struct ProcessOutputTests {
  /// A phone whose app is this script.
  private func phone(_ script: String, interpreter: String = "/bin/sh") throws -> (
    PhoneProcess, TemporaryDirectory
  ) {
    let directory = TemporaryDirectory()
    let path = directory("app")
    try Data("#!\(interpreter)\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o700)
    return (try PhoneProcess(app: path), directory)
  }

  private func notes(_ phone: PhoneProcess) throws -> String {
    let journal = try #require(try phone.status()["journal"] as? String)
    return try String(contentsOfFile: journal, encoding: .utf8)
  }

  @Test
  func
    `A process's output goes to a file; a crash's row and journal note have the file's path and last line`()
    throws
  {
    let (phone, directory) = try phone("echo begun\necho 'no \u{1b}[31mpeer' >&2\necho\nexit 3")
    defer { withExtendedLifetime(directory) {} }
    try phone.ask("open")
    let row = try phone.ended("app")
    expect(row["reason"] as? String, is: "crashed with exit code 3")
    let output = try #require(row["output"] as? String)
    expect(output, is: "\(phone.home)/os/output/app-1.log")
    expect(try String(contentsOfFile: output, encoding: .utf8), is: "begun\nno \u{1b}[31mpeer\n\n")
    expect(row["last_line"] as? String, is: "no .[31mpeer")
    #expect(try notes(phone).contains("is in \(output), and its last line is: no .[31mpeer"))
  }

  @Test func `Each process has its own output file`() throws {
    let (phone, directory) = try phone("echo I am $$\nexit 1")
    defer { withExtendedLifetime(directory) {} }
    for _ in 0..<2 {
      try phone.ask("open")
      let row = try phone.ended("app")
      let pid = try #require(row["pid"] as? Int)
      expect(row["last_line"] as? String, is: "I am \(pid)")
    }
  }

  @Test func `A process without output leaves no output file`() throws {
    let (phone, directory) = try phone("exit 1")
    defer { withExtendedLifetime(directory) {} }
    try phone.ask("open")
    #expect(try phone.ended("app")["output"] == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(phone.home)/os/output").isEmpty)
  }

  @Test
  func
    `If the app is a script and its interpreter is missing, the refusal to open the app names the interpreter`()
    throws
  {
    let (phone, directory) = try phone("exit 0", interpreter: "/nowhere/python3")
    defer { withExtendedLifetime(directory) {} }
    let refusal = try #require(try phone.refusal("open"))
    #expect(refusal.contains("its first line names the interpreter /nowhere/python3, which does not exist"))
  }
}
