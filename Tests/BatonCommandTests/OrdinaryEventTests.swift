/// Something that happens to a phone which is up, as a script of bash, and what is judged behind it: a section of a file
/// in Tests/OrdinaryEvents.
private struct Event {
  let name: String
  var script: String
  /// In each run of the suite, by this wallet; the others only for the whole table.
  let drawn: String?
  /// Of all others the verdict is sound.
  let mayLackEvidence: Bool

  private static let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "OrdinaryEvents")

  static func text(_ file: String) throws -> String {
    try String(contentsOf: folder.appending(path: file), encoding: .utf8)
  }

  static func all(in file: String) throws -> [Event] {
    try text(file).components(separatedBy: "\n== ").dropFirst().map { section in
      let lines = section.components(separatedBy: "\n")
      return Event(
        name: lines[0].prefix { $0 != "[" }.trimmingCharacters(in: .whitespaces),
        script: lines.dropFirst().joined(separator: "\n").trimmingCharacters(in: .newlines),
        drawn: ["phoenix", "bitkit"].first { lines[0].contains("[\($0)]") },
        mayLackEvidence: lines[0].hasSuffix("[evidence may be missing]"))
    }
  }
}

@Suite("Ordinary events", .waits)
struct OrdinaryEventTests {
  @Test(arguments: ["phoenix", "bitkit"])
  func `After an ordinary event the judge finds nothing broken`(wallet: String) throws {
    let phone = CommandPhone()
    _ = try phone.run("up", "--wallet", wallet)
    try phone.openAndConnect()
    for event in try Event.all(in: "events.txt") where VerdictTable.file != nil || event.drawn == wallet {
      try play(event, wallet, phone)
    }
    _ = try phone.run("down")
    let last = VerdictTable.verdict(phone.home)
    VerdictTable.print(wallet, "(down, after all of them)", last)
    expect(last.code, is: 0, "\(wallet): \(last)")
  }

  /// The phone pays once more behind each event.
  private func play(_ event: Event, _ wallet: String, _ phone: CommandPhone, home: String? = nil) throws {
    let home = home ?? phone.home
    try run("\(event.script)\npay 11; judge \"$H\"", wallet, phone, home) { place in
      let verdict = VerdictTable.verdict(place)
      VerdictTable.print(wallet, event.name, verdict)
      #expect(
        verdict.code == 0 || event.mayLackEvidence && verdict.code == 74,
        "\(wallet), \(event.name): \(verdict)")
    }
  }

  /// Runs the script up to each `judge`, which waits for the verdict.
  private func run(
    _ script: String, _ wallet: String, _ phone: CommandPhone, _ home: String, judge: (String) -> Void
  ) throws {
    let fifo = phone.scratch("asked")
    unlink(fifo)
    unlink(phone.scratch("answered"))
    #expect(mkfifo(fifo, 0o600) == 0 && mkfifo(phone.scratch("answered"), 0o600) == 0)
    let asking =
      #"judge() { echo "$1" > "$W/asked"; read x < "$W/answered"; }; trap 'echo end > "$W/asked"' EXIT"#
    let functions = try Event.text("functions.sh")
    let child = try phone.scratch.start(
      "/usr/bin/env",
      [
        "H=\(home)", "W=\(phone.scratch.path)", "BIN=\(Started.directory)",
        "EXT=\(wallet == "bitkit" ? "notifyonlyd" : "notifyextd")", "FUNCTIONS=\(functions)",
        "bash", "-c", "\(functions)\n\(asking)\n\(script)",
      ], into: "event")
    while let place = Self.read(fifo), place != "end" {
      judge(place)
      Self.write("x\n", to: phone.scratch("answered"))
    }
    _ = child.end()
  }

  /// The line that the script writes into the pipe.
  private static func read(_ pipe: String) -> String? {
    let descriptor = open(pipe, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0
      ? String(decoding: bytes.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      : nil
  }

  private static func write(_ text: String, to pipe: String) {
    let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    close(descriptor)
  }

  // MARK: Boots and disks of the machine

  private static let isRoot = getuid() == 0

  /// What a phone does in each boot, whose clock begins at another time.
  private static let boots: [(name: String, script: String)] = [
    ("up for days, and down", "up; pay; pay; b down"),
    ("rebooted, with a lower clock, and down", "up; pay; pay; b down"),
    ("rebooted, with a still lower clock, and all killed", "up; pay; later; dead"),
    ("rebooted, while a payment was held, and down", "up; pay; b down"),
    ("rebooted, with a higher clock, and killed in a payment", "up; pay & sleep 0.05; dead"),
    ("rebooted, with a lower clock, while pushes were under way", "up; pay; b down"),
    ("rebooted, and not opened", "b up; b down"),
    ("rebooted, at nearly the same clock", "up; pay; b down"),
  ]
  private static let clocks = [500_000, 300, 100, 60, 900_000, 200, 150, 140]

  @Test(.enabled(if: isRoot, "time namespaces need root"), arguments: ["phoenix", "bitkit"])
  func `After a reboot of the machine, whose clock begins anew, the judge finds nothing broken`(
    wallet: String
  ) throws {
    let phone = CommandPhone()
    let home = phone.home
    let uptime = Int(ProcessInfo.processInfo.systemUptime)
    _ = try phone.run("up", "--wallet", wallet)
    _ = try phone.run("down")
    for (place, boot) in Self.boots.enumerated() where VerdictTable.file != nil || place < 4 {
      let offset = Self.clocks[place] - uptime
      let id = "\(11_111_111 + place)"
      try run("boot \(offset) \(id) \"\(boot.script)\"; judge \"$H\"", wallet, phone, home) { place in
        let verdict = VerdictTable.verdict(place)
        VerdictTable.print(wallet, boot.name, verdict)
        expect(verdict.code, is: 0, "\(wallet), \(boot.name): \(verdict)")
      }
    }
  }

  @Test(.enabled(if: isRoot, "mounting a small disk needs root"), arguments: ["phoenix", "bitkit"])
  func `With a full disk the judge finds nothing broken`(wallet: String) throws {
    let phone = CommandPhone()
    let disk = phone.scratch("disk")
    mkdir(disk, 0o700)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=24m,mode=700") == 0)
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let home = "\(disk)/p"
    defer { try? run("b down", wallet, phone, home) { _ in } }
    let disks =
      "full() { dd if=/dev/zero of=\"$H/../fill$1$RANDOM\" bs=4k ${1:+count=$1}; }; room() { rm -f \"$H\"/../fill*; }; "
    try run("b up --wallet \(wallet); up", wallet, phone, home) { _ in }
    for event in try Event.all(in: "full-disk.txt") where VerdictTable.file != nil || event.drawn == wallet {
      var event = event
      event.script = disks + event.script
      try play(event, wallet, phone, home: home)
    }
  }
}
