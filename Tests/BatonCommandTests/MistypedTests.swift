import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

/// A missing home, program or directory is most likely a typing mistake: one sentence, and nothing is created.
@Suite("Mistyped paths", .waits) struct MistypedTests {
  private let scratch = Scratch()

  private func run(_ words: [String]) throws -> (words: String, code: Int32?) {
    let end = scratch.end(try scratch.start("baton", words))
    guard case .exited(let code) = end else { return (scratch.text("said"), nil) }
    return (scratch.text("said"), code)
  }

  @Test(arguments: ["status", "ps", "pushes", "payments", "down"])
  func `status, ps, pushes, payments and down report a missing phone directory and do not create it`(
    verb: String
  ) throws {
    let home = scratch("typo")
    let sentence =
      "baton: there is no phone at \(home); start a phone with `baton up`, or name its directory with --home\n"
    #expect(try run(["--home", home, verb]) == (sentence, 69))
    #expect(!FilePath.exists(home))
    mkdir(home, 0o700)
    #expect(try run(["--home", home, verb]).code == 0)
  }

  @Test func `A program that cannot be run is refused before the phone's directory is created`() throws {
    let said = try run(["--home", scratch("phone"), "up", "--app", "/nonexist"])
    #expect(said == ("baton: /nonexist cannot be run; build it, or name another program with --app\n", 78))
    #expect(!FilePath.exists(scratch("phone")))
  }

  @Test
  func `--keep needs an existing parent directory`() throws {
    let story = scratch.write("story.txt", "# The app is opened\nthe app opens\nthe verdict\n")
    for verb in [["demo"], ["run", story], ["run", story, story], ["soak"]] {
      let kept = scratch("typo/kept")
      let said = try run(verb + ["--keep", kept])
      #expect(said.code == 73, "\(verb): \(said)")
      #expect(
        said.words.contains("the directory \(scratch("typo")) for \(kept) does not exist"), "\(verb): \(said)"
      )
      #expect(!FilePath.exists(scratch("typo")))
    }
  }

  @Test func `An empty push on stdin is refused`() throws {
    #expect(
      try run(["push", "-"]) == (
        "baton: stdin is empty; write a push such as {\"aps\": {\"alert\": \"Hello\"}}\n", 64
      ))
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give a directory away"),
    arguments: ["logs", "pushes", "ps", "payments", "status"])
  func `Another user's phone directory is refused with the advice to copy it, and the copy can be read`(
    verb: String
  )
    throws
  {
    for part in ["", "/os", "/journal", "/AppGroup"] {
      mkdir(scratch("phone\(part)"), 0o700)
      chown(scratch("phone\(part)"), 65534, 65534)
    }
    let said = try run(["--home", scratch("phone"), verb])
    #expect(
      said.code == 73 && said.words.hasSuffix("; to read it, make your own copy with `cp -r`\n"))
    _ = scratch.end(try scratch.start("/bin/cp", ["-r", scratch("phone"), scratch("copy")]))
    #expect(try !run(["--home", scratch("copy"), verb]).words.contains("cannot use"))
    // A verb that runs the phone does not advise a copy.
    #expect(try !run(["--home", scratch("phone"), "up"]).words.contains("cp -r"))
  }
}
