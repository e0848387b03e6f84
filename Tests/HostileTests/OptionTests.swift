@Suite("Hostile input: options, arguments and the environment", .waits) struct OptionTests {
  @Test func `Pings may be as frequent as --chatter allows`() {
    #expect(PingRule.problem(chatter: 20, pingAfter: .seconds(1)) == nil)
    #expect(PingRule.problem(chatter: 20, pingAfter: .milliseconds(950)) != nil)
    for never in [nil, TimeSpan.zero] { #expect(PingRule.problem(chatter: 1, pingAfter: never) == nil) }
    #expect(PingRule.problem(chatter: 1_000_000, pingAfter: TimeSpan(nanoseconds: 1)) != nil)
  }

  @Test func `With its time options at the permitted maximum iosd takes a push and shuts down`() throws {
    try inScratch { directory in
      let longest = ["--extension-time", "--expiry-notice", "--extension-idle", "--grace"].flatMap {
        [$0, "106751d"]
      }
      let phone = "\(directory)/phone"
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "\(Started.directory)/iosd")
      process.arguments = ["--home", phone] + longest
      process.standardError = FileHandle.nullDevice
      try process.start()
      try Wait.until("iosd to answer") {
        (try? ControlClient(path: "\(phone)/os/iosd.sock", daemon: "iosd").request(ControlMessage("status")))
          != nil
      }
      let push = #"{"aps":{"alert":"Hello","mutable-content":1}}"#
      let client = try ControlClient(path: "\(phone)/os/iosd.sock", daemon: "iosd")
      _ = try client.request(ControlMessage("push", body: Array(push.utf8)))
      _ = try client.request(ControlMessage("down"), timeout: .seconds(60))
      process.waitUntilExit()
      expect(process.terminationStatus, is: 0)
    }
  }

  @Test(arguments: ["baton", "iosd", "lspd", "mainappd", "notifyextd"])
  func `10,000 arguments are refused in one sentence by every program`(_ program: String) throws {
    let ran = try Started.run(program, [String](repeating: "word", count: 10_000))
    expect(ran.code, is: 64)
    expect(ran.errors.split(separator: "\n").count, is: 1)
    let options = try Started.run(program, [String](repeating: "--nothing=1", count: 10_000))
    expect(options.code, is: 64)
    #expect(options.errors.hasPrefix("\(program): there is no option `--nothing`"))
  }

  @Test
  func `An invalid BATON_HOME is refused, an invalid BATON_OS_FD and a long NO_COLOR or TERM are ignored`()
    throws
  {
    let long = try Started.run(
      "baton", ["status"], environment: ["BATON_HOME": String(repeating: "x", count: 100_000)])
    #expect(long.errors.hasPrefix("baton: BATON_HOME must be a path of at most 4095 bytes, not `xxx"))
    #expect(long.errors.count < 200)
    try inScratch { directory in
      let places = [
        "--container", "\(directory)/c", "--keychain", "\(directory)/k", "--journal", "\(directory)/j",
      ]
      for text in ["", "x", "-1", "0", "4", "999", "99999999999999999999", "3 ", "\u{FF13}"] {
        let ran = try Started.run(
          "/usr/bin/env", ["BATON_OS_FD=\(text)", "\(Started.directory)/notifyextd"] + places)
        #expect(ran.errors.hasPrefix("notifyextd: there is no push to serve; "), "\(text): \(ran.errors)")
        expect(ran.code, is: 64)
      }
      let colours = String(repeating: "1", count: 100_000)
      let shown = try Started.run(
        "baton", ["--home", directory, "list", "processes"],
        environment: ["NO_COLOR": colours, "TERM": colours])
      expect(shown.code, is: 0)
    }
  }

  @Test func `The daemons do not inherit a descriptor of baton up's caller`() throws {
    let phone = try RealPhone()
    expect(try phone.baton(["down"]).code, is: 0)
    let file = "\(phone.home)/of-the-caller"
    let up = try Started.run(
      "/bin/sh", ["-c", #"exec "$0" --home "$1" up 7>"$2""#, "\(Started.directory)/baton", phone.home, file])
    expect(up.code, is: 0)
    for door in [RealPhone.Door.phone, .provider] {
      let directory = "/proc/\(try phone.pid(behind: door))/fd"
      let open = try FileManager.default.contentsOfDirectory(atPath: directory).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\($0)")
      }
      #expect(open.contains { $0.hasPrefix(phone.home) })
      #expect(!open.contains(file))
    }
  }

  private func inScratch(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "baton-options-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }
}
