import Platform
import PhonePolicy

@testable import Baton

@Suite("baton doctor", .waits) struct DoctorTests {
  @Test(arguments: Daemon.allCases)
  func `A daemon that is stopped, dead or silent is a finding of baton doctor, with exit code 1`(
    _ daemon: Daemon
  ) throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    func process() throws -> WatchedProcess {
      try #require(DaemonProbe.pid(listeningOn: phone.phone.socket(of: daemon)).flatMap(WatchedProcess.init))
    }
    func finds(_ kind: String, _ cause: String, _ step: String) throws {
      let end = try phone.scratch.start("baton", ["doctor", phone.home]).end()
      let said = phone.scratch.text("said")
      expect(end, is: .exited(code: 1), "\(said)")
      #expect(said.contains(kind) && said.contains(cause) && said.contains(step), "\(said)")
    }
    let running = try process()
    running.send(SIGSTOP)
    try finds(
      "daemon-stopped", "\(daemon.rawValue) \(running.pid) is stopped", "baton thaw \(daemon.rawValue)")
    running.send(SIGCONT)
    running.send(SIGKILL)
    #expect(running.waitForEnd(within: Wait.timeout))
    try finds("daemon-missing", "\(daemon.rawValue) does not run", "baton up")
    // A loop that never runs: nobody answers.
    let listener = try UnixListener(path: phone.phone.socket(of: daemon), loop: EventLoop()) { _ in }
    try finds("daemon-silent", "\(daemon.rawValue) \(getpid()) did not answer", "look at its journal")
    listener.shutDown()
    _ = try phone.run("up")
    let end = try phone.scratch.start("baton", ["doctor", phone.home]).end()
    expect(end, is: .exited(code: 0), "\(phone.scratch.text("said"))")
  }
}
