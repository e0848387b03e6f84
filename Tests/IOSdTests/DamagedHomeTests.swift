@Suite("iosd on a damaged phone directory", .waits) struct DamagedHomeTests {
  /// iosd's error when it cannot start, and its exit code.
  private func refusal(_ damage: (String) -> Void) throws -> (String, Int32) {
    let place = TemporaryDirectory()
    let home = place.path
    mkdir("\(home)/os", 0o700)
    damage(home)
    let ran = try Started.run("iosd", ["--home", home, "--app", "/bin/true", "--ext", "/bin/true"])
    return (ran.errors.replacingOccurrences(of: home, with: "HOME"), ran.code)
  }

  private static let damages: [(path: String, says: String, code: Int32)] = [
    ("os/iosd.sock", "iosd: HOME/os/iosd.sock exists and is not a socket; move it away\n", 74),
    ("os/iosd.lock", "iosd: cannot open HOME/os/iosd.lock: KIND; a plain file is needed here\n", 73),
    ("os/clock", "iosd: cannot open HOME/os/clock: KIND; a plain file is needed here\n", 74),
    (
      "os/processes.jsonl",
      "iosd: cannot open HOME/os/processes.jsonl: KIND; a plain file is needed here\n", 74
    ),
    ("os/device.json", "iosd: cannot open HOME/os/device.json: KIND; a plain file is needed here\n", 74),
    ("os/pushes.jsonl", "iosd: cannot open HOME/os/pushes.jsonl: KIND; a plain file is needed here\n", 74),
  ]

  @Test(arguments: damages)
  func
    `With a directory or pipe in place of a needed file iosd does not start, and says why in one sentence`(
      damage: (path: String, says: String, code: Int32)
    ) throws
  {
    let asDirectory = try refusal { mkdir("\($0)/\(damage.path)", 0o700) }
    let says = { (kind: String) in damage.says.replacingOccurrences(of: "KIND", with: kind) }
    #expect(asDirectory == (says("it is a directory"), damage.code))
    let asPipe = try refusal { mkfifo("\($0)/\(damage.path)", 0o600) }
    #expect(asPipe == (says("it is not a plain file"), damage.code))
  }

  @Test func `If the phone's directory is a file, iosd does not start, and says why in one sentence`() throws
  {
    let (words, code) = try refusal { home in
      try? FileManager.default.removeItem(atPath: home)
      close(open(home, O_CREAT | O_WRONLY, 0o600))
    }
    #expect(words.hasPrefix("iosd: cannot use HOME: it is not a directory; move it away, "))
    expect(code, is: 73)
  }

  @Test
  func `Truncated rows and garbage in iosd's files are skipped, and ids continue after the last whole row`()
    throws
  {
    let phone = try PhoneProcess()
    try phone.push()
    _ = try phone.notifications(1)
    phone.process.kill()
    let os = "\(phone.home)/os"
    for name in ["processes.jsonl", "notifications.jsonl", "pushes.jsonl"] {
      let file = try #require(FileHandle(forWritingAtPath: "\(os)/\(name)"))
      file.seekToEndOfFile()
      file.write(Data("\u{0}garbage\n{\"id\":".utf8))
      try file.close()
    }
    try Data(repeating: 0x5A, count: 64).write(to: URL(fileURLWithPath: "\(os)/clock"))
    try phone.restart()
    expect(try phone.push(), is: "2")
    expect(try phone.notifications(2).count, is: 2)
  }

  @Test func `iosd survives the removal of the journal directory, and the next iosd creates it again`() throws
  {
    let phone = try PhoneProcess()
    try FileManager.default.removeItem(atPath: "\(phone.home)/journal")
    try phone.push()
    expect(try phone.notifications(1).count, is: 1)
    phone.process.kill()
    try phone.restart()
    expect(try FileManager.default.contentsOfDirectory(atPath: "\(phone.home)/journal").count, is: 1)
  }

  @Test func `Without free descriptors iosd sleeps, and it answers again when descriptors are free`() throws {
    let phone = try PhoneProcess()
    let pid = phone.process.pid
    // iosd listens before it has opened all its files, and answers afterwards.
    _ = try phone.status()
    // The limit is on descriptor numbers, and those inherited from the parent may be any.
    func descriptors() throws -> Set<Int> {
      Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").compactMap { Int($0) })
    }
    let bound = try descriptors().count + 2
    let limited = try Started.run("/usr/bin/prlimit", ["--pid", "\(pid)", "--nofile=\(bound)"])
    try #require(limited.code == 0)
    var crowd = try (0..<6).map { _ in try ControlClient(path: phone.socket, daemon: "iosd") }
    var looksFull = 0
    try Wait.until("iosd has no descriptor left, and stays so") {
      let isFull = try descriptors().isSuperset(of: 0..<bound)
      looksFull = isFull ? looksFull + 1 : 0
      // iosd disconnects a silent client after a while, which may pass on a busy machine.
      if !isFull && crowd.count < 60 { crowd.append(try ControlClient(path: phone.socket, daemon: "iosd")) }
      return looksFull == 10
    }
    // A loop that spins on a readable socket never sleeps.
    var looksAsleep = 0
    try Wait.until("iosd sleeps") {
      looksAsleep = PhoneProcess.state(ofProcess: pid) == "S" ? looksAsleep + 1 : 0
      return looksAsleep == 10
    }
    crowd.removeAll()
    #expect(try phone.status()["home"] != nil)
  }
}
