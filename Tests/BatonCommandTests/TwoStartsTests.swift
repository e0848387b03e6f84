import DaemonRuntime
import Foundation
import Glibc
import Testing

@testable import BatonCommand

@Suite("baton up") struct TwoStartsTests {
  private let scratch = Scratch()

  private static let baton = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "baton").path

  /// Not by Foundation, which waits for all who inherit from the process too: daemons that are meant to stay.
  private func start(_ verb: [String], into name: String = "said") throws -> ChildProcess {
    scratch.write(name, "")
    var options = ChildProcess.Options()
    options.stackBytes = -1
    options.diesWithParent = false
    options.output = open(scratch(name), O_WRONLY | O_CLOEXEC)
    defer { close(options.output) }
    let child = try ChildProcess.start(
      "/bin/sh",
      arguments: ["-c", #"exec "$0" "$@" 2>&1"#, Self.baton, "--home", scratch("phone")] + verb,
      boot: Clock().boot, options: options)
    close(child.channel)
    return child
  }

  private func end(_ child: ChildProcess) -> ChildEnd.How? {
    defer { close(child.pidfd) }
    return ChildEnd.reap(child.identity.pid)?.how
  }

  @Test("typed four times at one instant starts one phone, and each says that it is up") func atOnce() throws
  {
    defer { if let down = try? start(["down"]) { _ = end(down) } }
    let starts = try (0..<4).map { try start(["up", "--json"], into: "\($0)") }
    let ends = starts.map(end)
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

  @Test("says what is wrong with a home that is a file, or has a file in the place of a directory")
  func files() throws {
    close(open(scratch("phone"), O_CREAT | O_WRONLY, 0o600))
    #expect(end(try start(["up"])) == .exited(code: 73))
    #expect(
      scratch.text("said")
        == "baton: \(scratch("phone")) is not a directory; move it away, or name another place with --home\n")
    unlink(scratch("phone"))
    mkdir(scratch("phone"), 0o700)
    close(open(scratch("phone/os"), O_CREAT | O_WRONLY, 0o600))
    #expect(end(try start(["up"])) == .exited(code: 73))
    #expect(scratch.text("said").hasPrefix("baton: \(scratch("phone"))/os is not a directory; move it away"))
  }
}
