@Suite("The pair on real processes: started by hand, without a phone", .serialized, .waits)
struct ByHandTests {
  /// A program as started in a terminal: without a channel to a phone, its output in a file.
  private final class Typed {
    private let child: ChildProcess
    private let output: String
    private(set) var end: ProcessEnd?

    init(_ program: String, _ arguments: [String], in home: String) throws {
      output = "\(home)/output-\(UUID().uuidString)"
      var options = ChildProcess.Options()
      options.stackBytes = -1
      options.diesWithParent = false
      options.output = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      options.environment.append(("BATON_BIN", Started.directory))
      defer { close(options.output) }
      let alone = #"unset BATON_OS_FD; exec "$0" "$@" 2>&1 3>&-"#
      child = try ChildProcess.start(
        "/bin/sh", arguments: ["-c", alone, program] + arguments, boot: Clock().boot, options: options)
      close(child.channel)
    }

    deinit {
      if !hasEnded {
        send(SIGTERM)
        _ = ChildEnd.reap(child.identity.pid)
      }
      close(child.pidfd)
    }

    func send(_ signal: Int32) { child.send(signal) }

    var hasEnded: Bool {
      if end == nil { end = ChildEnd.reap(child.identity.pid, waiting: false)?.how }
      return end != nil
    }

    var words: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
    var lines: [String] { words.split(separator: "\n").map(String.init) }
  }

  private func options(_ phone: TestPhone) -> [String] {
    [
      "--container", "\(phone.home)/AppGroup", "--keychain", "\(phone.home)/Keychain",
      "--journal", "\(phone.home)/journal", "--peer", phone.address ?? "",
    ]
  }

  @Test
  func `Started by hand, notifyextd serves its --push files in turn; mainappd obeys SIGUSR2 and SIGUSR1`()
    throws
  {
    let phone = try TestPhone()
    let first = try phone.launchApp()
    let invoices = try phone.invoices(2, first)
    first.kill(SIGTERM)
    try phone.wait("the first app's end") { first.hasEnded }
    for invoice in invoices { try phone.pay(invoice) }
    try phone.wait("the pushes") { phone.pushes.count == 2 }
    var pushes: [String] = []
    for (number, payload) in phone.pushes.enumerated() {
      let path = "\(phone.home)/\(number).apns"
      try Data(payload).write(to: URL(filePath: path))
      pushes += ["--push", path]
    }
    let notifier = try Typed("\(Started.directory)/notifyextd", options(phone) + pushes, in: phone.home)
    for invoice in invoices { try phone.waitUntilSettled(invoice) }
    try phone.wait("the extension's end") { notifier.hasEnded }
    expect(notifier.end, is: .exited(code: 0))
    for (number, text) in ["+1 sat: test r1", "+2 sat: test r2"].enumerated() {
      let line = "notifyextd: notification for push \(number + 1): Received payment: \(text)"
      #expect(notifier.lines.contains(line), "\(notifier.words)")
    }

    let app = try Typed("\(Started.directory)/mainappd", options(phone) + ["--background"], in: phone.home)
    try phone.wait("the app to stay in the background") { app.lines.last == "mainappd: not connected: idle" }
    app.send(SIGUSR2)
    try phone.wait("the app to be connected") { app.lines.last?.hasPrefix("mainappd: connected (") == true }
    expect(phone.owner?.role, is: .app)
    app.send(SIGUSR1)
    try phone.wait("the app to have released the node") {
      app.lines.contains("mainappd: everything is released")
    }
    app.send(SIGTERM)
    try phone.wait("the app's end") { app.hasEnded }
    expect(app.end, is: .exited(code: 0))
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "scripts/launch-pair").path

  /// Starts the script and waits until the app listens.
  private func launch(_ phone: TestPhone, _ home: String) throws -> (pair: Typed, app: Int32, peer: Int32) {
    let pair = try Typed(Self.script, [home], in: phone.home)
    try phone.wait("the app to listen") {
      pair.hasEnded || pair.lines.contains("mainappd: not connected: idle")
    }
    let match = try #require(
      pair.words.firstMatch(of: #/mainappd is process (\d+), lspd is process (\d+); the container is/#),
      "\(pair.words)")
    return (pair, try #require(Int32(match.1)), try #require(Int32(match.2)))
  }

  @Test func `scripts/launch-pair needs only a directory and leaves no process behind`() throws {
    let phone = try TestPhone()
    let home = "\(phone.home)/by-hand"
    let (pair, app, peer) = try launch(phone, home)
    let status = try Typed("\(Started.directory)/baton", ["--home", home, "status"], in: phone.home)
    try phone.wait("the status") { status.hasEnded }
    let advice = "the app was started by hand (process \(app)); end it before `baton up`"
    #expect(status.words.contains(advice), "\(status.words)")
    kill(app, SIGUSR2)
    try phone.wait("the app to be connected") { pair.words.contains("mainappd: connected (epoch 1)") }
    pair.send(SIGTERM)
    try phone.wait("the end of the script") { pair.hasEnded }
    expect(pair.end, is: .exited(code: 143))
    for pid in [app, peer] { #expect(kill(pid, 0) != 0, "process \(pid) was left behind") }

    // With pushes the script ends by itself; an unreadable push waits for no payment.
    let payload = "\(phone.home)/unreadable.apns"
    try Data("{}".utf8).write(to: URL(filePath: payload))
    let again = try Typed(Self.script, [home, payload, payload], in: phone.home)
    try phone.wait("the script's end") { again.hasEnded }
    expect(again.end, is: .exited(code: 0))
    let done = again.lines.filter { $0 == "notifyextd: push 1 is done: the push could not be read" }
    expect(done.count, is: 2, "\(again.words)")
    Journals.replay(of: home)
  }

  @Test func `scripts/launch-pair serves the push files named on its standard input`() throws {
    let phone = try TestPhone()
    let payload = "\(phone.home)/unreadable.apns"
    try Data("{}".utf8).write(to: URL(filePath: payload))
    let pipe = "\(phone.home)/pushes"
    expect(mkfifo(pipe, 0o600), is: 0)
    // Opens both ends, so that no open blocks.
    let input = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(input) }
    let pair = try Typed(
      "/bin/sh", ["-c", "exec '\(Self.script)' '\(phone.home)/by-hand' <'\(pipe)'"], in: phone.home)
    try phone.wait("the app") { pair.words.contains("mainappd is process") }
    for number in 1...2 {
      let line = Array("\(payload)\n".utf8)
      expect(write(input, line, line.count), is: line.count)
      try phone.wait("push \(number) to be served") {
        pair.lines.count { $0 == "notifyextd: push 1 is done: the push could not be read" } == number
      }
    }
    #expect(!pair.hasEnded)
    pair.send(SIGINT)
    try phone.wait("the end of the script") { pair.hasEnded }
    expect(pair.end, is: .exited(code: 130))
  }

  @Test func `A second scripts/launch-pair in one directory is refused, and the first keeps running`() throws
  {
    let phone = try TestPhone()
    let home = "\(phone.home)/by-hand"
    let (pair, app, peer) = try launch(phone, home)
    let other = try Typed(Self.script, [home], in: phone.home)
    try phone.wait("the end of the second") { other.hasEnded }
    expect(other.end, is: .exited(code: 69))
    #expect(other.words.contains("lspd (process "), "\(other.words)")
    #expect(!other.words.contains("mainappd is process"), "\(other.words)")
    #expect(!pair.hasEnded)
    for pid in [app, peer] { expect(kill(pid, 0), is: 0) }
  }

  @Test(arguments: [true, false])
  func `If mainappd or lspd is killed, scripts/launch-pair names it and ends the other process`(isApp: Bool)
    throws
  {
    let phone = try TestPhone()
    let (pair, app, peer) = try launch(phone, "\(phone.home)/by-hand")
    kill(isApp ? app : peer, SIGKILL)
    try phone.wait("the end of the script") { pair.hasEnded }
    expect(pair.end, is: .exited(code: 69))
    let name = isApp ? "mainappd (process \(app))" : "lspd (process \(peer))"
    #expect(
      pair.words.contains("\(name) was ended by SIGKILL; the other processes are ended too"), "\(pair.words)")
    for pid in [app, peer] { #expect(kill(pid, 0) != 0, "process \(pid) was left behind") }
  }

  @Test func `scripts/launch-pair does not start the app with the address of an earlier lspd`() throws {
    let phone = try TestPhone()
    let home = "\(phone.home)/by-hand"
    let (pair, _, _) = try launch(phone, home)
    pair.send(SIGTERM)
    try phone.wait("the script's end") { pair.hasEnded }
    expect(access("\(home)/lsp/address", F_OK), is: 0)
    // The next lspd cannot start: it finds a directory where its ledger should be.
    for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] { unlink("\(home)/lsp/\(name)") }
    mkdir("\(home)/lsp/ledger.sqlite", 0o700)
    let again = try Typed(Self.script, [home], in: phone.home)
    try phone.wait("the script's end") { again.hasEnded }
    expect(again.end, is: .exited(code: 69))
    #expect(!again.words.contains("mainappd"), "\(again.words)")
  }

  @Test func `scripts/launch-pair refuses a file in place of its directory in one sentence`() throws {
    let phone = try TestPhone()
    let file = "\(phone.home)/file"
    try Data().write(to: URL(filePath: file))
    let pair = try Typed(Self.script, [file], in: phone.home)
    try phone.wait("the script's end") { pair.hasEnded }
    expect(pair.end, is: .exited(code: 73))
    expect(pair.words, is: "scripts/launch-pair: \(file) is not a directory; name a directory for the pair\n")
  }
}
