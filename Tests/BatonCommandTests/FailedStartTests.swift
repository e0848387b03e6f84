import Ground
import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite("baton up, when it fails", .waits) struct FailedStartTests {
  private let scratch = Scratch()
  private var phone: Phone { Phone(home: scratch("phone")) }

  private func run(_ verb: [String]) throws -> (words: String, code: Int32?) {
    let end = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    guard case .exited(let code) = end else { return (scratch.text("said"), nil) }
    return (scratch.text("said"), code)
  }

  private func running(_ daemon: Daemon) -> Int32? {
    DaemonProbe.pid(listeningOn: phone.socket(of: daemon))
  }

  @Test(arguments: ["--app", "--ext", "--lspd", "--iosd"], ["/nonexist", "/etc/passwd", "/tmp"])
  func `A program that cannot be executed is refused before any daemon starts`(
    _ option: String, _ path: String
  ) throws {
    let said = try run(["up", option, path])
    #expect(
      said == (
        "baton: \(path) cannot be run; build it, or name another program with \(option)\n", 78
      ))
    for daemon in Daemon.allCases { #expect(!FilePath.exists(phone.log(of: daemon))) }
  }

  /// Executable by its permissions.
  @Test
  func `If iosd's program fails to execute, baton up ends the lspd that it has started`() throws {
    let file = scratch.write("iosd", "\u{7f}ELF")
    chmod(file, 0o700)
    let said = try run(["up", "--iosd", file])
    #expect(said.code == 78 && said.words.contains("start \(file)"), "\(said)")
    for daemon in Daemon.allCases { #expect(running(daemon) == nil) }
    #expect(scratch.text("phone/lsp/lspd.log").contains("lspd listens on "))
  }

  @Test func `If iosd ends during baton up, its last output is shown, and lspd is ended`() throws {
    for number in 1...2 {
      let file = scratch.write("iosd", "#!/bin/sh\necho try \(number) >&2\nexit \(number == 1 ? 1 : 78)\n")
      chmod(file, 0o700)
      let said = try run(["up", "--iosd", file])
      #expect(
        said.words
          == "baton: iosd ended before it answered; its last output is in \(phone.log(of: .iosd)):\n  try \(number)\n"
      )
      #expect(said.code == (number == 1 ? 69 : 78))
      for daemon in Daemon.allCases { #expect(running(daemon) == nil) }
    }
  }

  @Test func `A daemon killed by a signal is reported with the signal`() throws {
    let file = scratch.write("iosd", "#!/bin/sh\nkill -SEGV $$\n")
    chmod(file, 0o700)
    let said = try run(["up", "--iosd", file])
    #expect(
      said == ("baton: iosd was ended by SIGSEGV before it answered; it printed nothing\n", 69), "\(said)")
  }

  @Test func `A failed baton up does not end a daemon that ran before`() throws {
    defer {
      _ = try? run(["down"])
      Journals.replay(of: scratch("phone"))
    }
    #expect(try run(["up"]).code == 0)
    let lspd = try #require(running(.lspd))
    let iosd = try #require(running(.iosd).flatMap(WatchedProcess.init))
    iosd.send(SIGTERM)
    #expect(iosd.waitForEnd(within: .seconds(60)))
    #expect(try run(["up", "--app", "/nonexist"]).code == 78)
    #expect(running(.lspd) == lspd)
  }
}
