@testable import Baton

/// The smallest programs of level 1 of docs/protocols.md: they speak to the phone, and have neither node nor journal.
@Suite(
  "Programs of level 1",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs /usr/bin/python3"),
  .waits)
struct PhoneLevelTests {
  private let phone = CommandPhone()
  private var scratch: TemporaryDirectory { phone.scratch }

  private func pair() -> [String] {
    let paths = ["app", "extension"].map { role in
      let path = scratch.write("own-\(role)", Self.program.replacingOccurrences(of: "ROLE", with: role))
      chmod(path, 0o700)
      return path
    }
    return ["--app", paths[0], "--ext", paths[1]]
  }

  private static let program = #"""
    #!/usr/bin/python3
    import os, socket
    channel = socket.socket(fileno=int(os.environ["BATON_OS_FD"]))

    def say(verb, **fields):
        channel.send("\n".join([verb] + [f"{name}: {value}" for name, value in fields.items()] + ["", ""]).encode())

    say("hello", role="ROLE", pid=os.getpid())
    while packet := channel.recv(131072):
        verb, *lines = packet.split(b"\n\n", 1)[0].decode().split("\n")
        fields = dict(line.split(": ", 1) for line in lines)
        if verb == "terminate":
            break
        elif verb == "enter-background":
            say("background-done", time=fields["time"])
        elif verb == "push" and "ROLE" == "extension":
            say("content", id=fields["id"], title="Own wallet", body="A push came")
            say("finished", id=fields["id"], reason="done")
        elif verb == "push" and fields.get("silent") == "yes":
            say("push-done", id=fields["id"], result="no-data")
    """#

  @Test func `The phone shows their lives and pushes, and there is nothing to judge`() throws {
    _ = try phone.run(["up"] + pair())
    #expect(try phone.run("app", "open").contains("the app is in front"))
    #expect(try phone.run("app", "home").contains("in the background"))
    let push = scratch.write("push.apns", #"{"aps":{"alert":{"title":"Payment"},"mutable-content":1}}"#)
    _ = try phone.run("push", push)
    try Wait.until("the extension's text to be shown") {
      try phone.run("list", "notifications").contains("A push came")
    }
    _ = try phone.run("down")
    let judge = try scratch.start("baton", ["judge", phone.home]).end()
    expect(judge, is: .exited(code: 74))
    #expect(scratch.text("said").contains("there is no database of the wallet"))
  }

  /// Each story begins with an app that takes the node.
  @Test func `baton ci makes no progress with them, says why, and calls nothing sound`() throws {
    let stories = ["killed-in-front", "paid-twice"].map { CIVerbTests.story($0) }
    let words = ["ci", "--out", scratch("evidence"), "--level", "container"] + pair() + stories
    expect(try scratch.start("baton", words).end(), is: .exited(code: 3), "\(scratch.text("said"))")
    #expect(scratch.text("said").contains("0 of 1 stories as expected, 1 skipped"))
    #expect(!scratch.text("said").contains("sound"))
    let verdict = JSONValue(parsing: Array(scratch.text("evidence/verdict.json").utf8))
    #expect(verdict?["verdict"]?.text == "no progress" && verdict?["exit"]?.int == 3)
    #expect(verdict?["good"]?.int == 0 && verdict?["bad"]?.int == 1 && verdict?["skipped"]?.int == 1)
    let outcomes = verdict?["stories"]?.elements ?? []
    expect(outcomes.map { $0["outcome"]?.text }, is: ["no progress", "skipped"])
    let details = outcomes.first?["details"]?.elements?.compactMap(\.text) ?? []
    #expect(details.contains { $0.contains("gave up waiting until the app is connected") }, "\(details)")
    #expect(details.contains { $0.contains("could not be judged") }, "\(details)")
    expect(
      details.last?.contains("programs of level 1 have no node, and no story is about them"), is: true,
      "\(details)")
    #expect(scratch.text("evidence/junit.xml").contains("programs of level 1"))
  }
}
