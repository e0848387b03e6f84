import DaemonRuntime
import Foundation
import Testing
import WaitingTests

@testable import Baton

/// On a terminal, which `script` of util-linux provides.
@Suite(
  "NO_COLOR",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs /usr/bin/script"),
  .waits)
struct NoColourTests {
  private let phone = CommandPhone()

  private func onTerminal(_ verb: String, _ environment: String...) throws -> String {
    let line = "'\(Scratch.programs)/baton' --home '\(phone.scratch("phone"))' \(verb)"
    let child = try phone.scratch.start(
      "/usr/bin/env",
      ["-u", "NO_COLOR", "TERM=xterm-256color"] + environment + [
        "/usr/bin/script", "-qec", line, "/dev/null",
      ], into: "terminal")
    _ = phone.scratch.end(child)
    return phone.scratch.text("terminal")
  }

  private func hasColour(_ text: String) -> Bool { text.contains(/\u{1b}\[[0-9;]*m/) }

  @Test func `Verbs that colour their output on a terminal print none with NO_COLOR, nor with TERM=dumb`()
    throws
  {
    let story = phone.scratch.write("story.txt", "# x\nthe app opens\nthe verdict\n  > wrong\n")
    _ = try phone.run("up")
    try phone.openAndConnect()
    let verbs = [
      "status", "list processes", "logs", "list payments", "list pushes", "doctor", "help exit-codes",
      "inspect '\(phone.phone.container)'", "run --simulated '\(story)'",
    ]
    var coloured = 0
    for verb in verbs {
      coloured += hasColour(try onTerminal(verb)) ? 1 : 0
      for words in ["NO_COLOR=1", "TERM=dumb"] {
        let text = try onTerminal(verb, words)
        #expect(!text.isEmpty && !hasColour(text), "\(verb) with \(words): \(text.debugDescription)")
      }
    }
    #expect(coloured >= 6, "\(coloured) of \(verbs.count) verbs have colours")
  }
}
