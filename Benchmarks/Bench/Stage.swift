import Ground
import ProcessSupport
import DaemonRuntime
import Glibc

/// A phone for the bench: the release programs, with this process in place of iosd.
final class Stage {
  let programs: String
  let home: String
  let loop: EventLoop
  let clock = Clock()
  private(set) var peer: HeldProcess!
  private var nextPush = 1

  init(programs: String) throws {
    self.programs = programs
    home = try Scratch.directory()
    loop = try EventLoop()
    peer = try start("lspd", ["--home", home])
    try wait("lspd") { Stage.text("\(self.home)/lsp/address") != nil }
  }

  static func text(_ path: String) -> String? {
    SmallFile.read(path, limit: 16 << 20).map { String(decoding: $0, as: UTF8.self) }
  }

  func wait(_ what: String, until condition: () -> Bool) throws {
    let end = clock.now + .seconds(60)
    while !condition() {
      guard clock.now < end else { throw BenchError("gave up waiting for \(what); see \(home)/journal") }
      _ = try loop.run(for: .milliseconds(2), until: condition)
    }
  }

  func start(_ name: String, _ arguments: [String]) throws -> HeldProcess {
    try HeldProcess("\(programs)/\(name)", arguments, loop: loop, clock: clock)
  }

  private var common: [String] {
    let address = Stage.text("\(home)/lsp/address")?.split(separator: "\n").first.map(String.init) ?? ""
    return [
      "--container", "\(home)/AppGroup", "--keychain", "\(home)/Keychain", "--journal", "\(home)/journal",
      "--peer", address,
    ]
  }

  func startApp() throws -> HeldProcess { try start("mainappd", common) }
  func startExtension() throws -> HeldProcess { try start("notifyextd", common) }

  /// It has no peer.
  func startTellingExtension() throws -> HeldProcess {
    try start("notifyonlyd", Array(common.dropLast(2)))
  }

  func push(
    _ process: HeldProcess, _ payload: String = #"{"aps":{"alert":"pay"},"reason":"IncomingPayment"}"#
  ) {
    process.send(ControlMessage("push", ["id": "\(nextPush)"], body: Array(payload.utf8)))
    nextPush += 1
  }

  /// The app makes an invoice and ends, and the peer holds a payment of it for the next owner.
  func holdPayment(number: Int) throws {
    let app = try startApp()
    app.send(ControlMessage("enter-foreground"))
    try wait("the app to be connected") { app.isConnected }
    let request = "r\(number)"
    app.ask(request, ControlMessage("invoice", ["amount-msat": "1000", "description": "bench"]))
    try wait("an invoice") { app.answer(to: request) != nil }
    guard let invoice = app.answer(to: request)?["invoice"] else {
      throw BenchError("the app made no invoice: \(app.answer(to: request)?["message"] ?? "no answer")")
    }
    app.send(ControlMessage("terminate"))
    try wait("the app to end") { app.hasEnded }
    let payer = try start("baton", ["--home", home, "pay", invoice, "--no-wait", "--hold-seconds", "600"])
    try wait("the payment to be held") { payer.hasEnded }
  }

  /// When a guard handled an event, by its own journal.
  func instant(of event: String, in process: HeldProcess) throws -> Instant {
    let name = try journalName(of: process.pid)
    for line in (Stage.text("\(home)/journal/\(name)") ?? "").split(separator: "\n").reversed() {
      guard line.contains("\"core\":\"guard-"), line.contains("\"event\":{\(event)"),
        let stamp = line.split(separator: "\"t\":").dropFirst().first?.prefix(while: { $0.isNumber }),
        let nanoseconds = Int64(stamp)
      else { continue }
      return Instant(nanoseconds: nanoseconds)
    }
    throw BenchError("the journal \(name) knows no \(event)")
  }

  private func journalName(of pid: Int32) throws -> String {
    guard let directory = opendir("\(home)/journal") else { throw SystemError("read \(home)/journal") }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix("-\(pid).jsonl") { return name }
    }
    throw BenchError("process \(pid) wrote no journal")
  }

  func end() {
    peer.kill(SIGKILL)
    peer.reap()
    Scratch.remove(home)
  }
}

extension HeldProcess {
  /// A figure of `/proc/PID/status` in kilobytes, such as the peak resident size.
  func kilobytes(_ name: String) -> Int64? {
    let line = Stage.text("/proc/\(pid)/status")?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
  }
}
