import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite("Control characters in baton's output", .waits) struct TerminalTests {
  private let scratch = Scratch()

  /// Clears the screen, rings, sets the title, reverses the text, and begins a line of its own.
  private static let name = "a\u{1b}[2J\u{7}\u{1b}]0;owned\u{7}\u{202e}\u{200b}\u{9b}1m\nbaton: all is well"

  private func isHarmless(_ words: String) -> Bool {
    words.split(separator: "\n").allSatisfy { String($0) == String($0).onOneLine }
      && !words.contains("\nbaton: all is well")
  }

  @Test func `Verbs print control characters in the phone directory's name as dots`()
    throws
  {
    let home = scratch(Self.name)
    defer {
      _ = try? scratch.end(scratch.start("baton", ["--home", home, "down"]))
      Journals.replay(of: home)
    }
    for verb in [
      ["status"], ["logs"], ["up"], ["up"], ["status"], ["ps"], ["logs"], ["logs", "--process", "nobody"],
      ["inspect"],
      ["app", "open"], ["judge"], ["down"], ["down"], ["judge"],
    ] {
      _ = scratch.end(try scratch.start("baton", ["--home", home] + verb))
      let words = scratch.text("said")
      #expect(!words.isEmpty)
      #expect(isHarmless(words), "\(verb): \(words.debugDescription)")
    }
  }

  @Test func `Control characters in a file's name are shown as dots`() throws {
    let file = scratch.write("story\(Self.name)", "# \(Self.name)\nnonsense\n")
    for verb in [["run"], ["push"], ["replay"], ["judge"], ["inspect"], ["sim", "--merge"]] {
      for path in [file, "\(file)-missing"] {
        _ = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb + [path]))
        let words = scratch.text("said")
        #expect(isHarmless(words), "\(verb): \(words.debugDescription)")
      }
    }
    for program in ["iosd", "lspd"] {
      _ = scratch.end(try scratch.start(program, ["--home", "\(file)/no"]))
      #expect(isHarmless(scratch.text("said")), "\(program): \(scratch.text("said").debugDescription)")
    }
  }

  @Test func `Baton's own colours are kept, every other escape sequence becomes dots`() {
    let output = Output(isJSON: false, usesColour: true)
    let foreign = "\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}"
    let line = "\(output.paint("bold", .bold)) \(foreign) \(output.paint(foreign, .red))"
    #expect(
      output.shown(line)
        == "\u{1b}[1mbold\u{1b}[0m .[2J.]0;x.. \u{1b}[31m.[2J.]0;x..\u{1b}[0m")
    #expect(output.shown("\n\(foreign)\n") == "\n.[2J.]0;x...")
    #expect(Output(isJSON: false, usesColour: false).shown("\u{1b}[1mbold\u{1b}[0m") == ".[1mbold.[0m")
  }
}
