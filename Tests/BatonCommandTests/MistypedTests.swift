import DaemonRuntime
import Foundation
import Glibc
import Testing

@testable import PhoneClient

/// A home, a program or a directory that is not there is most likely a slip of the fingers: one sentence, and nothing is made.
@Suite("What is mistyped") struct MistypedTests {
  private let scratch = Scratch()

  private func run(_ words: [String]) throws -> (words: String, code: Int32?) {
    let end = scratch.end(try scratch.start("baton", words))
    guard case .exited(let code) = end else { return (scratch.text("said"), nil) }
    return (scratch.text("said"), code)
  }

  @Test(
    "A home that is not there is called so by each verb that looks at a phone",
    arguments: ["status", "ps", "pushes", "payments", "down"])
  func home(verb: String) throws {
    let home = scratch("typo")
    let sentence = "baton: there is no phone at \(home); start one with `baton up`, or name it with --home\n"
    #expect(try run(["--home", home, verb]) == (sentence, 69))
    #expect(!FilePath.exists(home))
    mkdir(home, 0o700)
    #expect(try run(["--home", home, verb]).code == 0)
  }

  @Test("A program that cannot be run is said before the phone's home is made") func program() throws {
    let said = try run(["--home", scratch("phone"), "up", "--app", "/nonexist"])
    #expect(said == ("baton: /nonexist cannot be run; build it, or name another program with --app\n", 78))
    #expect(!FilePath.exists(scratch("phone")))
  }

  @Test("A run is kept in a new directory, and the way to it must be there")
  func kept() throws {
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

  @Test("A push of standard input that is empty is called so") func emptyInput() throws {
    #expect(
      try run(["push", "-"]) == (
        "baton: stdin is empty; write a push such as {\"aps\": {\"alert\": \"Hello\"}}\n", 64
      ))
  }

  @Test(
    "A home of another user is read in a copy of one's own, which the refusal says",
    .enabled(if: geteuid() == 0, "only root can give a directory away"),
    arguments: ["logs", "pushes", "ps", "payments", "status"])
  func anotherUsersHome(verb: String) throws {
    for part in ["", "/os", "/journal", "/AppGroup"] {
      mkdir(scratch("phone\(part)"), 0o700)
      chown(scratch("phone\(part)"), 65534, 65534)
    }
    let said = try run(["--home", scratch("phone"), verb])
    #expect(
      said.code == 73 && said.words.hasSuffix("; to read it, make your own copy with `cp -r`\n"))
    _ = scratch.end(try scratch.start("/bin/cp", ["-r", scratch("phone"), scratch("copy")]))
    #expect(try !run(["--home", scratch("copy"), verb]).words.contains("cannot use"))
    // One that runs a phone is no reader.
    #expect(try !run(["--home", scratch("phone"), "up"]).words.contains("cp -r"))
  }
}
