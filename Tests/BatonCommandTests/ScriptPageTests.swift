import DaemonRuntime
import Foundation
import Testing
import WaitingTests

@testable import Baton

@Suite("docs/operating.md", .waits)
struct ScriptPageTests {
  private let scratch = Scratch()

  @Test func `The script in docs/operating.md runs as it stands`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/operating.md")
    let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```sh\n")
    try #require(parts.count == 2)
    let script = try #require(parts[1].components(separatedBy: "```").first)
    let lifts =
      CommandPhone.isSanitized ? script.replacing("baton up", with: "baton up --build debug") : script
    scratch.write("work/script", lifts)
    let child = try scratch.start(
      "/bin/sh",
      ["-c", #"cd "$0" && PATH="$1:$PATH" exec sh -eux script"#, scratch("work"), Scratch.programs])
    let end = scratch.end(child)
    _ = PhoneStopper(phone: Phone(home: scratch("work/phone"))).stop()
    #expect(end == .exited(code: 0), "\(scratch.text("said"))")
    #expect(scratch.text("said").hasSuffix("\n20\n"), "\(scratch.text("said"))")
    #expect(scratch.text("said").contains(#""code":"not-running","exit":69"#))
  }
}
