import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@Suite("An app given with --app that crashes", .waits) struct CrashedAppTests {
  private let phone = CommandPhone()

  @Test
  func
    `baton app open, ps and logs show the last line of a crashed app's output and the file with all of it`()
    throws
  {
    let app = phone.scratch.write("my-app", "#!/bin/sh\necho begun\necho 'no peer' >&2\nexit 3\n")
    chmod(app, 0o700)
    _ = try phone.run("up", "--app", app)
    let words = try phone.run("app", "open")
    let output = "\(phone.phone.os)/output/app-1.log"
    let crash = "crashed with exit code 3; its last line: no peer; its whole output is in \(output)"
    #expect(words.contains(crash), "\(words)")
    #expect(try phone.run("ps", "--all").contains(crash))
    #expect(try phone.run("ps", "--all", "--json").contains(#""last_line":"no peer""#))
    #expect(try phone.run("logs").contains("is in \(output), and its last line is: no peer"))
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "begun\nno peer\n")
  }

  @Test func `baton app open says that a crashed app wrote nothing to its standard error`() throws {
    let app = phone.scratch.write("my-app", "#!/bin/sh\nexit 3\n")
    chmod(app, 0o700)
    _ = try phone.run("up", "--app", app)
    let words = try phone.run("app", "open")
    #expect(words.contains("crashed with exit code 3; it wrote nothing to its standard error"), "\(words)")
  }

  @Test func `baton app open says that an app says nothing, and where its output is`() throws {
    let app = phone.scratch.write("my-app", "#!/bin/sh\nexec sleep 600\n")
    chmod(app, 0o700)
    _ = try phone.run("up", "--app", app)
    let opening = try phone.begin("app", "open", into: "opening")
    #expect(phone.scratch.end(opening) == .exited(code: ExitCode.tooSlow.rawValue))
    let words = try Regex(
      #"^baton: the app \(process \d+\) is silent since its start 1\d\.\d s ago; its output is in .*/os/output/app-1\.log\n$"#
    )
    #expect(phone.scratch.text("opening").contains(words), "\(phone.scratch.text("opening"))")
    #expect(try phone.run("status").contains(", silent since its start "))
  }

  @Test func `baton app open names the missing interpreter of an app that is a script`() throws {
    let app = phone.scratch.write("my-app", "#!/nowhere/python3\nprint(1)\n")
    chmod(app, 0o700)
    _ = try phone.run("up", "--app", app)
    let words = try phone.run("app", "open")
    #expect(
      words.contains("its first line names the interpreter /nowhere/python3, which does not exist"),
      "\(words)")
  }
}
