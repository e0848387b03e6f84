import Ground
import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite("baton up while the phone goes down", .waits) struct UpAndDownTests {
  private let phone = CommandPhone()

  private func isRunning(_ daemon: Daemon, _ answer: String) throws -> Bool {
    let pid = try #require(JSONValue(parsing: Array(answer.utf8))?[daemon.rawValue]?.int)
    return DaemonProbe.pid(listeningOn: phone.phone.socket(of: daemon)) == Int32(pid)
  }

  @Test func `baton up during baton down waits, then starts the phone`() throws {
    _ = try phone.run("up")
    let iosd = try #require(DaemonProbe.pid(listeningOn: phone.phone.iosdSocket))
    // A stopped iosd cannot end, so `down` waits for it.
    kill(iosd, SIGSTOP)
    defer { kill(iosd, SIGCONT) }
    let down = try phone.begin("down", into: "down")
    try Wait.until("down to be at work") { phone.isLocked }
    let up = try phone.begin("up", "--json", into: "up")
    kill(iosd, SIGCONT)
    #expect(phone.scratch.end(down) == .exited(code: 0))
    #expect(phone.scratch.end(up) == .exited(code: 0))
    let answer = phone.scratch.text("up")
    #expect(answer.contains(#""started":["lspd","iosd"]"#))
    for daemon in Daemon.allCases { #expect(try isRunning(daemon, answer)) }
  }

  @Test func `lspd and iosd end when the directory of their phone is removed`() throws {
    let scratch = Scratch()
    let phone = Phone(home: scratch("phone"))
    #expect(scratch.end(try scratch.start("baton", ["--home", phone.home, "up"])) == .exited(code: 0))
    let daemons = try Daemon.allCases.map { daemon in
      try #require(DaemonProbe.pid(listeningOn: phone.socket(of: daemon)).flatMap(WatchedProcess.init))
    }
    // Files that they make meanwhile make `rm` fail.
    try Wait.until("the directory to be gone") {
      try? FileManager.default.removeItem(atPath: phone.home)
      return !FilePath.exists(phone.home)
    }
    for daemon in daemons { #expect(daemon.waitForEnd(within: .seconds(20))) }
    for daemon in daemons { daemon.send(SIGKILL) }
  }

  @Test
  func `The peer's node id is in no command line or environment of iosd, lspd and the app`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let address = try #require(SmallFile.read(phone.phone.lspdAddress, limit: 128))
    let id = String(decoding: address.prefix(66), as: UTF8.self)
    let rows = try phone.run("ps", "--json")
    let app = try #require(rows.firstMatch(of: /"pid":\s*(\d+)/).flatMap { Int32($0.output.1) })
    for pid in Daemon.allCases.compactMap({ DaemonProbe.pid(listeningOn: phone.phone.socket(of: $0)) }) + [
      app
    ] {
      for file in ["cmdline", "environ"] {
        let shown = try #require(SmallFile.read("/proc/\(pid)/\(file)", limit: 65_536))
        #expect(!shown.isEmpty || file == "environ")
        #expect(!String(decoding: shown, as: UTF8.self).contains(id), "\(file) of \(pid)")
      }
    }
  }

  @Test(arguments: Daemon.allCases)
  func `baton up waits for an ending daemon and starts another`(_ daemon: Daemon) throws {
    _ = try phone.run("up")
    if daemon == .iosd { try phone.openAndConnect() }
    let process = try #require(
      DaemonProbe.pid(listeningOn: phone.phone.socket(of: daemon)).flatMap(WatchedProcess.init))
    process.send(SIGTERM)
    let answer = try phone.run("up", "--json")
    #expect(process.hasEnded)
    for daemon in Daemon.allCases { #expect(try isRunning(daemon, answer)) }
  }
}

extension CommandPhone {
  /// Whether a `baton up` or `down` is at work.
  fileprivate var isLocked: Bool {
    let file = open("\(phone.os)/up.lock", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    return file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
