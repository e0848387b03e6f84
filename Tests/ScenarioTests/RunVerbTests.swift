import DaemonRuntime
import Foundation
import Testing
import WaitingTests

@Suite("baton run", .waits) struct RunVerbTests {
  private let story = """
    # The app opens (fault 0)
    the app opens
    wait until the app is connected
    who holds the node?
      > nobody at all
    the verdict
      > sound: 0 of 0 payments settled

    """

  @Test
  func `baton run shows a different answer and the command that accepts it; then the story passes`() throws {
    let run = try BatonRun()
    let file = try run.write("story.txt", story)
    #expect(try run.run("--simulated", file) == 1)
    #expect(run.said.contains("line 4: who holds the node?"))
    #expect(run.said.contains("expected  nobody at all"))
    #expect(run.said.contains("happened  the app holds the node"))
    #expect(run.said.contains("baton run --simulated --update \(file)"))
    #expect(run.text("story.txt") == story)
    #expect(try run.run("--simulated", "--update", file) == 0)
    #expect(run.said.contains("updated") && run.said.contains("1 answer rewritten"))
    #expect(run.text("story.txt") == story.replacing("nobody at all", with: "the app holds the node"))
    #expect(try run.run("--simulated", file) == 0)
  }

  @Test func `A story that times out is never rewritten`() throws {
    let run = try BatonRun()
    let text = story.replacing("the app is connected", with: "the extension is connected")
    let file = try run.write("story.txt", text)
    #expect(try run.run("--simulated", "--update", file) == 3)
    #expect(run.said.contains("line 3: gave up waiting for the extension to be connected"))
    #expect(run.text("story.txt") == text)
  }

  @Test func `Several files have a line each, and the gravest exit code counts`() throws {
    let run = try BatonRun()
    let good = try run.write("good.txt", story.replacing("nobody at all", with: "the app holds the node"))
    let other = try run.write("other.txt", story)
    let never = try run.write("never.txt", story.replacing("is connected", with: "has ended"))
    let real = try run.write("real.txt", "# x\nthe wall clock steps by +1 h\nthe verdict\n")
    #expect(try run.run("--simulated", good, real) == 0)
    #expect(run.said.contains("skipped") && run.said.contains("1 of 1 as expected, 1 skipped"))
    #expect(try run.run("--simulated", good, other) == 1)
    #expect(try run.run("--simulated", never, other, good) == 3)
    #expect(run.said.contains("1 of 3 as expected"))
  }

  @Test func `--json prints a line for each file`() throws {
    let run = try BatonRun()
    let file = try run.write("story.txt", story)
    #expect(try run.run("--simulated", "--json", file, file) == 1)
    let lines = run.said.split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["outcome"] as? String == "differs")
      let differences = try #require(object["differences"] as? [[String: Any]])
      #expect(differences.count == 1)
      #expect(differences.first?["line"] as? Int == 4)
      #expect(differences.first?["happened"] as? [String] == ["the app holds the node"])
    }
  }

  @Test func `A missing or invalid file and wrong options are refused`() throws {
    let run = try BatonRun()
    #expect(try run.run() == 64)
    #expect(try run.run(run.path("nowhere.txt")) == 74)
    #expect(try run.run("--simulated", try run.write("bad.txt", "# x\nthe app sings\nthe verdict\n")) == 64)
    #expect(run.said.contains("bad.txt, line 2: `the app sings` is not a line of the story language"))
    #expect(
      try run.run("--simulated", try run.write("huge.txt", String(repeating: "#\n", count: 40_000))) == 64)
    let file = try run.write("story.txt", story)
    #expect(try run.run("--without", "lock", file) == 64)
    #expect(try run.run("--simulated", "--keep", run.path("x"), file) == 64)
    #expect(try run.run("--simulated", "--without", "nothing", file) == 64)
  }

  @Test func `A broken invariant ends baton run with exit code 2 and prints BROKEN`() throws {
    let run = try BatonRun()
    let file = Stories.folder.appending(path: "home-and-back-again-and-again.txt").path
    #expect(try run.run("--simulated", "--without", "init-check,state-from-claim", file) == 2)
    #expect(run.said.contains("BROKEN"))
  }

  @Test func `--commands lists lines of the language, and which are for the simulation only`() throws {
    let run = try BatonRun()
    #expect(try run.run("--commands") == 0)
    #expect(run.said.contains("the PROCESS is killed") && run.said.contains("In the simulation only"))
  }
}
