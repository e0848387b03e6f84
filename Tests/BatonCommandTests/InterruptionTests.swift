@testable import Baton

@Suite("An interrupted command", .waits) struct InterruptionTests {
  /// A command in its own scratch directory; every process it starts, at any depth, carries a mark.
  private final class Marked {
    let scratch = TemporaryDirectory()
    let child: Started
    private let mark: String

    init(_ arguments: [String], in home: String? = nil) throws {
      mark = "BATON_MARK=\(scratch.path)"
      mkdir(scratch("tmp"), 0o700)
      let words =
        ["BATON_MARK=\(scratch.path)", "TMPDIR=\(scratch("tmp"))", "\(Started.directory)/baton"]
        + arguments
      child = try scratch.start("/usr/bin/env", words)
    }

    deinit { for pid in processes { kill(pid, SIGKILL) } }

    var said: String { scratch.text("said") }
    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: scratch("tmp"))) ?? [] }

    /// Also processes that were reparented or have their own session.
    var processes: [Int32] {
      (DirectoryListing.names(of: "/proc") ?? []).compactMap { Int32($0) }.filter { pid in
        let environment = SmallFile.read("/proc/\(pid)/environ", limit: 262_144) ?? []
        return environment.split(separator: 0).contains { $0.elementsEqual(mark.utf8) }
      }
    }

    func process(named name: String) -> Int32? { processes.first { ProcessTable.name(of: $0) == name } }

    func wait(_ what: String, _ condition: () -> Bool) throws {
      do { try Wait.until(what, condition) } catch { throw Wait.Failure(description: "\(error): \(said)") }
    }

    func waitUntilPhoneIsUp() throws {
      try wait("the phone to be up") { process(named: "iosd") != nil && process(named: "mainappd") != nil }
    }

    var isCopying: Bool {
      left.contains { name in
        let copies = DirectoryListing.names(of: "\(scratch("tmp"))/\(name)/tmp") ?? []
        return copies.contains { $0.hasPrefix("baton-snapshot-") }
      }
    }

    var isOver: Bool { !child.isRunning }
    func end() -> ProcessEnd? { child.end() }
  }

  @Test(arguments: [1, 2])
  func
    `A soak whose daemons are stopped by SIGSTOP leaves no process and no directory after one SIGINT or two`(
      times: Int
    ) throws
  {
    let run = try Marked(["soak", "--rounds", "1000", "--build", "debug"])
    try run.waitUntilPhoneIsUp()
    for name in ["iosd", "lspd", "mainappd"] { run.process(named: name).map { _ = kill($0, SIGSTOP) } }
    run.child.send(SIGINT)
    if times == 2 {
      // Within this interval it would count as the same request.
      let later = Clock.monotonicNow + RepeatedSignals.sameRequest + .milliseconds(50)
      try run.wait("the interval to pass") { Clock.monotonicNow >= later }
      run.child.send(SIGINT)
    }
    expect(run.end(), is: .exited(code: 130))
    #expect(run.processes.isEmpty)
    #expect(run.left.isEmpty, "\(run.left)")
  }

  @Test func `baton up leaves no daemon when interrupted`() throws {
    let silent = TemporaryDirectory()
    let iosd = silent.write("iosd", "#!/bin/sh\nexec /usr/bin/tail -f /dev/null\n")
    chmod(iosd, 0o700)
    let run = try Marked(["--home", silent("phone"), "up", "--iosd", iosd])
    try run.wait("the second daemon") {
      run.process(named: "lspd") != nil && run.process(named: "tail") != nil
    }
    #expect(run.left.isEmpty)
    run.child.send(SIGINT)
    expect(run.end(), is: .exited(code: 130))
    #expect(run.processes.isEmpty)
    expect(run.said, is: "baton: interrupted by SIGINT; all processes that the command started are ended\n")
  }

  @Test(arguments: [["inspect"], ["status"], ["list", "payments"]])
  func `An interruption during the copy of a container removes the copy`(verb: [String]) throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("down")
    // The largest size that is copied. A fast machine may finish before the signal: then again.
    let database = "\(phone.phone.container)/node.sqlite"
    expect(truncate(database, 1_000_000_000), is: 0)
    // A database beside a rollback journal is not read in place.
    phone.scratch.write("phone/AppGroup/node.sqlite-journal", "0")
    let words = verb == ["inspect"] ? verb + [phone.phone.container] : ["--home", phone.home] + verb
    for _ in 0..<20 {
      let run = try Marked(words)
      try run.wait("the copy, or the end") { run.isCopying || run.isOver }
      run.child.send(SIGTERM)
      let end = run.end()
      #expect(run.left.isEmpty, "\(run.left)")
      guard end == .exited(code: 143) else { continue }
      expect(run.said, is: "baton: interrupted by SIGTERM; nothing is left behind\n")
      return
    }
    Issue.record("each of 20 copies was done before the signal came")
  }
}
