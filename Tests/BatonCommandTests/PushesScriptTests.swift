import Foundation
import Glibc
import Testing
import WaitingTests

/// With a `baton` that prints its arguments, and runs the command of `scratch`.
@Suite("scripts/pushes --full", .waits) struct PushesScriptTests {
  private let scratch = Scratch()

  init() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "scripts/pushes")
    scratch.write("scripts/pushes", try String(contentsOf: script, encoding: .utf8))
    scratch.write(
      "bin/baton", "#!/bin/sh\nif [ \"$1\" = scratch ]; then shift 2; exec \"$@\"; fi\necho \"$1 $5\"\n")
    for file in ["scripts/pushes", "bin/baton"] { chmod(scratch(file), 0o700) }
  }

  @Test(
    arguments: [
      "cd scripts && sh pushes --full", "cd scripts && bash pushes --full", "bash scripts/pushes --full",
      "cd bin && PATH=$PWD/../scripts:$PATH && pushes --full",
      "cd bin && PATH=$PWD/../scripts:$PATH && bash pushes --full", "cd bin && ../scripts/pushes --full",
    ])
  func `scripts/pushes --full runs both soaks from any directory, directly or by a shell`(line: String) throws
  {
    let child = try scratch.start(
      "/bin/sh", ["-c", "cd '\(scratch.path)' && export BATON_BIN=$PWD/bin && \(line)"])
    #expect(scratch.end(child) == .exited(code: 0))
    #expect(scratch.text("said") == "soak 900\nsoak 100\n", "\(line)")
  }
}
