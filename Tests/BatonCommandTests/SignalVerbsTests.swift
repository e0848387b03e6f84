@testable import Baton

@Suite("baton kill, freeze and thaw", .waits) struct SignalVerbsTests {
  private let phone = CommandPhone()

  private func code(_ words: String...) throws -> Int32? {
    guard case .exited(let code) = try phone.begin(words, into: "said").end() else { return nil }
    return code
  }

  private var said: String { phone.scratch.text("said") }

  /// Each verb on one running process, which is killed at the end.
  private func strike(_ target: PhoneProcess, _ kill: [String], gone: ExitCode) throws {
    let name = target.rawValue
    let process = try target.find(in: phone.phone)
    let words = "\(target.words) (process \(process.pid))"
    expect(try code("thaw", name), is: ExitCode.notDone.rawValue)
    expect(said, is: "baton: \(words) is not frozen\n")
    expect(try code("freeze", name), is: 0)
    expect(said, is: "\(words) is frozen; `baton thaw \(name)` continues it\n")
    #expect(ProcessTable.isStopped(process.pid))
    expect(try code("thaw", name, "--json"), is: 0)
    expect(said, is: #"{"did":"thawed","process":"\#(name)","pid":\#(process.pid)}"# + "\n")
    #expect(!ProcessTable.isStopped(process.pid))
    // A crash ends a frozen process too.
    expect(try code("freeze", name), is: 0)
    let killing = try phone.begin(["kill", name] + kill, into: "said")
    expect(killing.end(), is: .exited(code: 0))
    #expect(process.hasEnded)
    for signal in [ProcessSignal.freeze, .thaw] {
      let failure = try #require(throws: CommandFailure.self) { try signal.send(to: process) }
      expect(failure, is: CommandFailure(.notDone, "process \(process.pid) has ended meanwhile"))
    }
    expect(try code("kill", name), is: gone.rawValue, "\(said)")
  }

  @Test func `Each of the four processes is frozen, thawed and killed, and a crash is recorded as one`()
    throws
  {
    expect(try code("kill", "app"), is: ExitCode.daemonMissing.rawValue)
    // Without the limits of a production build the extension stays after its push.
    _ = try phone.run("up", "--build", "debug")
    expect(try code("freeze", "extension"), is: ExitCode.notDone.rawValue)
    expect(said, is: "baton: the extension does not run; a push starts it\n")
    try phone.openAndConnect()
    _ = try phone.run("app", "quit")
    let push = phone.scratch.write("push.apns", #"{"aps":{"alert":"Hello","mutable-content":1}}"#)
    _ = try phone.run("push", push)
    try Wait.until("the notification") { try !phone.phone.notifications().isEmpty }
    try strike(.extension, ["--crash", "abort"], gone: .notDone)
    try phone.openAndConnect()
    // The ledger of a frozen iosd has the app.
    expect(try code("freeze", "iosd"), is: 0)
    expect(try code("freeze", "app"), is: 0)
    // It may as well be suspended by iosd, which would not know that it goes on.
    expect(try code("thaw", "app"), is: ExitCode.notDone.rawValue)
    #expect(said.hasPrefix("baton: iosd does not answer, and may have suspended the app "), "\(said)")
    expect(try code("thaw", "iosd"), is: 0)
    expect(try code("thaw", "app"), is: 0)
    try strike(.app, ["--crash", "segv"], gone: .notDone)
    for words in ["crashed by SIGABRT", "crashed by SIGSEGV"] {
      try Wait.until(words) { try phone.run("list", "processes", "--all").contains(words) }
    }
    try strike(.lspd, [], gone: .daemonMissing)
    try strike(.iosd, [], gone: .daemonMissing)
    expect(said, is: "baton: iosd of this phone does not run; start it with `baton up`\n")
  }
}
