@Suite("Hostile input: options, arguments and the environment", .waits) struct OptionTests {
  private static let span = "a time such as 500ms, 2s or 1h"
  private static let nodeAddress =
    "the id of a node, `@`, an IPv4 address and a port such as 02…@127.0.0.1:9735"
  private static let address = "an IPv4 address and a port such as 127.0.0.1:9735"

  static let cases: [(program: String, words: [String], sentence: String)] = [
    ("baton", ["--hoome", "x"], "there is no option `--hoome`; did you mean --home?"),
    ("baton", ["--home", "a", "--home", "b", "status"], "--home is given twice; give it once"),
    ("baton", ["status", "--home"], "--home needs a value; write --home DIR"),
    ("baton", ["status", "--home="], "--home must not be empty; write --home DIR"),
    (
      "baton", ["list", "processes", "\u{1b}]0;owned\u{7}"],
      "`.]0;owned.` is one word too many; see baton list processes -h"
    ),
    (
      "baton", ["up", "--hold-seconds", "-1"],
      "--hold-seconds must be a whole number from 0 to 86400, not `-1`"
    ),
    (
      "iosd", ["--memory-limit", "99999999999999999999"],
      "--memory-limit must be a whole number from 1048576 to 1099511627776, not `99999999999999999999`"
    ),
    ("iosd", ["--grace", "1e999s"], "--grace must be \(span), not `1e999s`"),
    ("iosd", ["--grace", "NaN"], "--grace must be \(span), not `NaN`"),
    ("iosd", ["--grace", "-1s"], "--grace must be \(span), not `-1s`"),
    ("iosd", ["--peer", "localhost:1"], "--peer must be \(nodeAddress), not `localhost:1`"),
    ("lspd", ["--listen", "[::1]:1"], "--listen must be \(address), not `[::1]:1`"),
    ("lspd", ["--listen", "127.0.0.1:65536"], "--listen must be \(address), not `127.0.0.1:65536`"),
    ("lspd", ["x"], "`x` is one word too many; see lspd -h"),
    ("mainappd", ["--peer", "127.0.0.1:1"], "--peer must be \(nodeAddress), not `127.0.0.1:1`"),
    (
      "mainappd", ["--peer", "02\(String(repeating: "f", count: 64))@127.0.0.1:1"],
      "--peer has a node id that is not on the curve; copy the whole address again"
    ),
    (
      "lspd", ["--wallet", "02ff"],
      "--wallet must be the 66 hexadecimal digits of a node id; copy the whole id again"
    ),
    ("mainappd", ["--takeover", "force"], "--takeover must be one of lock, wait-stale, not `force`"),
    (
      "notifyextd", ["--stale-after", "99999999999h"],
      "--stale-after must be a time of at most 106751d, not `99999999999h`"
    ),
    ("notifyextd", [], "there is no push to serve; give one with --push FILE, or let iosd start notifyextd"),
  ]

  @Test(arguments: cases) func `Each program refuses an invalid command line in one sentence`(
    _ program: String, _ words: [String], _ sentence: String
  ) throws {
    try inScratch { directory in
      let places = [
        "--container", "\(directory)/c", "--keychain", "\(directory)/k", "--journal", "\(directory)/j",
      ]
      let isWallet = ["mainappd", "notifyextd"].contains(program)
      let ran = try RealPhone.run(program, words + (isWallet ? places : []))
      expect(ran.errors, is: "\(program): \(sentence)\n")
      expect(ran.code, is: 64)
    }
  }

  @Test(
    arguments: [
      (["--beat-interval", "5s", "--stale-after", "2s"], HeartbeatTimingSentence.tooShort),
      (["--stale-after", "106751d"], HeartbeatTimingSentence.tooLong),
      (["--beat-interval", "0"], HeartbeatTimingSentence.interval),
    ])
  func `Invalid beat options are refused by iosd before a wallet process starts`(
    _ words: [String], _ sentence: String
  ) throws {
    try inScratch { directory in
      let ran = try RealPhone.run("iosd", ["--home", "\(directory)/phone"] + words)
      expect(ran.errors, is: "iosd: \(sentence)\n")
      expect(ran.code, is: 64)
    }
  }

  @Test func `Ping options that exceed --chatter are refused by iosd and lspd`() throws {
    let sentence =
      "--ping-after 999ms causes up to 20 pings and pongs in 10 s, and --chatter allows 19: give --chatter 20, or a "
      + "longer --ping-after"
    try inScratch { directory in
      for program in ["iosd", "lspd"] {
        let words = ["--home", "\(directory)/phone", "--ping-after", "999ms", "--chatter", "19"]
        let ran = try RealPhone.run(program, words)
        expect(ran.errors, is: "\(program): \(sentence)\n")
        expect(ran.code, is: 64)
      }
    }
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
      process.executableURL = URL(fileURLWithPath: "\(TestPhone.binaries)/iosd")
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
    let ran = try RealPhone.run(program, [String](repeating: "word", count: 10_000))
    expect(ran.code, is: 64)
    expect(ran.errors.split(separator: "\n").count, is: 1)
    let options = try RealPhone.run(program, [String](repeating: "--nothing=1", count: 10_000))
    expect(options.code, is: 64)
    #expect(options.errors.hasPrefix("\(program): there is no option `--nothing`"))
  }

  @Test func `Arguments and a BATON_HOME that are not UTF-8 are refused`() throws {
    // Foundation cannot pass such bytes; a shell can.
    let shell = { (line: String) throws -> RealPhone.Ran in
      let baton = "\(TestPhone.binaries)/baton"
      return try RealPhone.run("/bin/sh", ["-c", line.replacingOccurrences(of: "BATON ", with: "\(baton) ")])
    }
    let words = try shell(#"BATON --home "$(printf '\377')" status"#)
    expect(words.errors, is: "baton: argument 2 is not valid UTF-8; type it in UTF-8\n")
    expect(words.code, is: 64)
    let home = try shell(#"BATON_HOME="$(printf '\377')" BATON status"#)
    expect(home.errors, is: "baton: BATON_HOME is not valid UTF-8; correct it, or unset it\n")
    expect(home.code, is: 64)
  }

  @Test func `An invalid BATON_HOME or BATON_OS_FD is refused, a long NO_COLOR or TERM ignored`() throws {
    let long = try RealPhone.run(
      "baton", ["status"], environment: ["BATON_HOME": String(repeating: "x", count: 100_000)])
    #expect(long.errors.hasPrefix("baton: BATON_HOME must be a path of at most 4095 bytes, not `xxx"))
    #expect(long.errors.count < 200)
    try inScratch { directory in
      let places = [
        "--container", "\(directory)/c", "--keychain", "\(directory)/k", "--journal", "\(directory)/j",
      ]
      for text in ["", "x", "-1", "0", "4", "999", "99999999999999999999", "3 ", "\u{FF13}"] {
        let ran = try RealPhone.run("notifyextd", places, environment: ["BATON_OS_FD": text])
        expect(ran.code, is: 64, "BATON_OS_FD=\(text): \(ran.errors)")
      }
      let colours = String(repeating: "1", count: 100_000)
      let shown = try RealPhone.run(
        "baton", ["--home", directory, "list", "processes"],
        environment: ["NO_COLOR": colours, "TERM": colours])
      expect(shown.code, is: 0)
    }
  }

  @Test func `The daemons do not inherit a descriptor of baton up's caller`() throws {
    let phone = try RealPhone()
    expect(try phone.baton(["down"]).code, is: 0)
    let file = "\(phone.home)/of-the-caller"
    let up = try RealPhone.run(
      "/bin/sh", ["-c", #"exec "$0" --home "$1" up 7>"$2""#, "\(TestPhone.binaries)/baton", phone.home, file])
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

private enum HeartbeatTimingSentence {
  static let tooShort =
    "the time until a beat is stale must be at least two beat intervals, or one late beat makes a live owner look frozen; use 5s for beats of 2s"
  static let tooLong = "the time until a beat is stale must be at most one hour"
  static let interval = "the beat interval must be between 10 ms and 10 minutes; Phoenix uses 2s"
}
