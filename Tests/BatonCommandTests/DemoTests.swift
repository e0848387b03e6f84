import DaemonRuntime
import Ground
import Testing
import WaitingTests

@testable import Baton

@Suite("baton demo", .waits) struct DemoTests {
  private let scratch = Scratch()

  private func demo(_ words: String...) throws -> (end: ChildEnd.How?, lines: [JSONValue]) {
    let end = scratch.end(try scratch.start("baton", ["--json", "demo", "--quick"] + words))
    let lines = scratch.text("said").split(separator: "\n").map { JSONValue(parsing: Array($0.utf8)) }
    return (end, try lines.map { try #require($0) })
  }

  @Test(.disabled(if: CommandPhone.isSanitized, "programs under a sanitizer exceed the phone's memory limit"))
  func `The demo prints events of all four processes, the app's waits, and the outcome`() throws {
    let (end, lines) = try demo()
    #expect(end == .exited(code: 0), "\(scratch.text("said"))")
    let outcome = try #require(lines.last)
    #expect(outcome["outcome"]?.text == "same" && outcome["file"]?.text == "demo")
    let events = lines.filter { $0["kind"]?.text == "event" }
    #expect(Set(events.compactMap { $0["process"]?.text }) == ["mainappd", "notifyextd", "iosd", "lspd"])
    let steps = lines.filter { $0["kind"]?.text == "step" }.compactMap { $0["text"]?.text }
    #expect(steps.contains { $0.hasPrefix("Payment 2 of 3") })
    // Payment 1 and 2 are handed over, the third's extension dies; on a slow machine the app may come too late to wait.
    let waits = lines.filter { $0["kind"]?.text == "wait" }
    #expect((1...3).contains(waits.count))
    #expect(waits.allSatisfy { ($0["took_ms"]?.int ?? -1) >= 0 })
  }

  @Test func `baton run --events prints the events of a story's processes, then its outcome`() throws {
    let story = scratch.write(
      "story.txt", "# The app is opened\nthe app opens\nthe verdict\n  > sound: 0 of 0 payments settled\n")
    let end = scratch.end(try scratch.start("baton", ["--json", "run", "--events", story]))
    #expect(end == .exited(code: 0), "\(scratch.text("said"))")
    let lines = try scratch.text("said").split(separator: "\n").map {
      try #require(JSONValue(parsing: Array($0.utf8)))
    }
    #expect(lines.contains { $0["kind"]?.text == "event" && $0["process"]?.text == "mainappd" })
    #expect(lines.last?["outcome"]?.text == "same")
  }

  @Test(arguments: [["run", "--events", "--simulated", "STORY"], ["--json", "demo", "--print"]])
  func `Options of a story's events that exclude each other are refused`(words: [String]) throws {
    let story = scratch.write("story.txt", "# The app is opened\nthe app opens\nthe verdict\n")
    let end = scratch.end(try scratch.start("baton", words.map { $0 == "STORY" ? story : $0 }))
    #expect(end == .exited(code: 64), "\(scratch.text("said"))")
  }

  @Test(arguments: [["--home", "DIR", "demo"], ["demo", "--home", "DIR", "--print"]])
  func `baton demo makes its own phone, and refuses --home`(words: [String]) throws {
    let words = words.map { $0 == "DIR" ? scratch("phone") : $0 }
    #expect(scratch.end(try scratch.start("baton", words)) == .exited(code: 64))
    #expect(scratch.text("said").contains("--keep") && scratch.names == ["said"])
  }

  @Test func `baton demo --print prints a story that baton run --simulated plays`() throws {
    _ = scratch.end(try scratch.start("baton", ["demo", "--print", "--quick"]))
    let story = scratch.write("story.txt", scratch.text("said"))
    let end = scratch.end(try scratch.start("baton", ["run", "--simulated", story]))
    #expect(end == .exited(code: 0), "\(scratch.text("said"))")
  }
}
