import Ground
import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite("baton up", .waits) struct TwoStartsTests {
  private let scratch = Scratch()

  private func start(_ verb: [String], into name: String = "said") throws -> ChildProcess {
    try scratch.start("baton", ["--home", scratch("phone")] + verb, into: name)
  }

  @Test func `Four baton up at once start one phone, and each succeeds`() throws {
    defer {
      if let down = try? start(["down"]) { _ = scratch.end(down) }
      Journals.replay(of: scratch("phone"))
    }
    let starts = try (0..<4).map { try start(["up", "--json"], into: "\($0)") }
    let ends = starts.map(scratch.end)
    let answers = (0..<4).map { scratch.text("\($0)") }
    for (end, answer) in zip(ends, answers) { #expect(end == .exited(code: 0), "\(answer)") }
    func pid(_ daemon: String, _ answer: String) -> Int64? {
      JSONValue(parsing: Array(answer.utf8))?[daemon]?.int
    }
    #expect(Set(answers.map { pid("iosd", $0) }).count == 1)
    #expect(Set(answers.map { pid("lspd", $0) }).count == 1)
    #expect(pid("iosd", answers[0]) != nil)
    #expect(answers.filter { $0.contains(#""started":["lspd","iosd"]"#) }.count == 1)
  }

  @Test
  func `baton up refuses impossible beat and ping intervals before a daemon starts`() throws {
    for (options, words) in [
      (["--beat-interval", "3s"], "the time until a beat is stale must be at least two beat intervals"),
      (["--beat-interval", "1ms"], "the beat interval must be between 10 ms and 10 minutes"),
      (["--stale-after", "2h"], "the time until a beat is stale must be at most one hour"),
      (["--ping-after", "300ms"], "--ping-after 300ms causes up to 66 pings and pongs in 10 s"),
    ] {
      #expect(scratch.end(try start(["up"] + options)) == .exited(code: 64))
      #expect(scratch.text("said").hasPrefix("baton: \(words)"), "\(scratch.text("said"))")
      #expect(access(scratch("phone"), F_OK) != 0)
    }
  }

  @Test
  func `A file in place of the phone's directory or of one of its subdirectories is refused`() throws {
    close(open(scratch("phone"), O_CREAT | O_WRONLY, 0o600))
    #expect(scratch.end(try start(["up"])) == .exited(code: 73))
    #expect(
      scratch.text("said")
        == "baton: cannot use \(scratch("phone")): it is not a directory; move it away, or use another path\n"
    )
    unlink(scratch("phone"))
    mkdir(scratch("phone"), 0o700)
    close(open(scratch("phone/os"), O_CREAT | O_WRONLY, 0o600))
    #expect(scratch.end(try start(["up"])) == .exited(code: 73))
    #expect(
      scratch.text("said").hasPrefix(
        "baton: cannot open \(scratch("phone"))/os/wallet: a part of the path is not a directory"))
  }
}
