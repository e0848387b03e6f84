import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@Suite("baton scratch", .waits) struct ScratchVerbTests {
  private let scratch = Scratch()

  private func run(_ script: String) throws -> ChildEnd.How? {
    mkdir(scratch("tmp"), 0o700)
    let words = [
      "TMPDIR=\(scratch("tmp"))", "PATH=\(Scratch.programs):/usr/bin:/bin", "baton", "scratch", "--",
    ]
    return scratch.end(try scratch.start("/usr/bin/env", words + ["sh", "-c", script]))
  }

  private var left: [String] { DirectoryListing.names(of: scratch("tmp")) ?? [] }

  @Test
  func `The command of baton scratch gets a phone, which is removed with its processes after success`() throws
  {
    let build = CommandPhone.isSanitized ? " --build debug" : ""
    #expect(
      try run("baton up\(build) && baton app open && baton status && echo $BATON_HOME") == .exited(code: 0))
    let said = scratch.text("said")
    #expect(said.contains("the app is in front"), "\(said)")
    let home = try #require(said.split(separator: "\n").last.map(String.init))
    #expect(home.hasPrefix("\(scratch("tmp"))/baton-scratch-"))
    let daemons = try #require(said.firstMatch(of: #/is up: lspd (\d+), iosd (\d+)/#), "\(said)")
    for pid in [daemons.1, daemons.2] { #expect(kill(try #require(Int32(pid)), 0) != 0) }
    #expect(left.isEmpty, "\(left)")
  }

  @Test func `baton scratch exits with the command's code and keeps the phone of a failed command`()
    throws
  {
    #expect(try run("mkdir $BATON_HOME; echo > $BATON_HOME/x; exit 7") == .exited(code: 7))
    let place = try #require(left.first)
    #expect(
      scratch.text("said")
        == "baton: the command ended with 7, and its directory \(scratch("tmp"))/\(place) is kept\n")
    #expect(DirectoryListing.names(of: "\(scratch("tmp"))/\(place)") == ["phone"])
    #expect(DirectoryListing.names(of: "\(scratch("tmp"))/\(place)/phone") == ["x"])
  }

  @Test
  func
    `baton scratch keeps the temporary directory of a failed command, where a nested baton keeps its phone`()
    throws
  {
    #expect(try run("mkdir $TMPDIR/baton-soak-1; echo > $TMPDIR/baton-soak-1/x; exit 2") == .exited(code: 2))
    let place = try #require(left.first)
    #expect(DirectoryListing.names(of: "\(scratch("tmp"))/\(place)/tmp/baton-soak-1") == ["x"])
  }

  @Test func `baton scratch does not end a process that its shell started before`() throws {
    mkdir(scratch("tmp"), 0o700)
    let line =
      "export TMPDIR=\(scratch("tmp")) PATH=\(Scratch.programs):/usr/bin:/bin; tail -f /dev/null >/dev/null 2>&1 & echo $!; exec baton scratch -- true"
    #expect(scratch.end(try scratch.start("/bin/sh", ["-c", line])) == .exited(code: 0))
    let pid = try #require(Int32(scratch.text("said").trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(ProcessTable.name(of: pid) == "tail")
    kill(pid, SIGKILL)
  }

  @Test func `baton scratch refuses a missing command in one sentence`() throws {
    let end = scratch.end(try scratch.start("baton", ["scratch", "/nowhere/command"]))
    #expect(end == .exited(code: ExitCode.badConfiguration.rawValue))
    #expect(
      scratch.text("said")
        == "baton: cannot run /nowhere/command: there is no such file or directory; check the path\n")
  }

  @Test func `baton scratch also ends a process that its command started in a new session`() throws {
    #expect(try run("setsid tail -f /dev/null >/dev/null 2>&1 & echo $!") == .exited(code: 0))
    let pid = try #require(Int32(scratch.text("said").trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(pid, 0) != 0)
  }
}
