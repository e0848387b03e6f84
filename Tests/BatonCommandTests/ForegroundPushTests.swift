@testable import Baton

/// A payment while the app is in front.
@Suite(.waits) struct ForegroundPushTests {
  private let phone = CommandPhone()

  @Test(.shows("K-27"))
  func `An extension started beside the app in front waits, and leaves the node to the app`() throws {
    _ = try phone.run("up", "--foreground-pushes", "extension")
    try phone.openAndConnect()
    let push = phone.scratch.write(
      "push.apns", #"{"aps":{"alert":"pay","mutable-content":1},"reason":"IncomingPayment"}"#)
    #expect(try phone.run("push", push).contains("was delivered to the phone"))
    try Wait.until("the extension to wait") {
      try phone.run("status").contains(#/extension +serving .*: waiting: process \d+ holds the node/#)
    }
    let status = try phone.run("status")
    #expect(status.contains(#/holder +held by mainappd \d+, alive, with current beats/#))
    #expect(status.contains(#/epoch +1\n/#))
  }

  @Test(.shows("P-1.5", "K-45")) func `A connected app in front is paid without a push or a notification`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    #expect(try phone.run("pay", try phone.invoice()).contains("settled: 5,000 sat"))
    expect(try phone.fates(), is: [])
    try expectTheAppAlone()
  }

  @Test(.shows("K-45"))
  func `An app in front without a network is handed the push when the network is back, and is paid`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("device", "network", "off")
    try phone.waitUntilAway()
    let payment = try phone.begin("pay", invoice, into: "paid")
    try Wait.until("the push") { try phone.fates().first??.hasPrefix("deferred: ") == true }
    try Wait.until("it to be said that it is held") { phone.scratch.text("paid").hasPrefix("held: ") }
    #expect(try phone.run("status").contains("1 held for the wallet"))
    _ = try phone.run("device", "network", "on")
    expect(payment.end(), is: .exited(code: 0))
    #expect(phone.scratch.text("paid").contains("\nsettled: 5,000 sat"))
    expect(try phone.fates(), is: ["given to the app in the foreground"])
    try expectTheAppAlone()
  }

  private func expectTheAppAlone() throws {
    expect(try phone.run("list", "notifications"), is: "no notification was shown yet\n")
    let processes = try phone.phone.askForJSON(.iosd, ControlMessage("ps", ["all": "yes"]))
    expect(processes.elements?.map { $0["role"]?.text }, is: ["app"], "no extension was started")
  }
}

/// A service manager, for the datagrams of `baton up --foreground`.
private final class Manager {
  let path: String
  let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw SystemError("bind \(path)") }
  }

  deinit { close(descriptor) }

  /// The next line; nil if there is none yet.
  func heard() -> String? {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }

  func wait(for line: String) throws {
    try Wait.until(line) { heard() == line }
  }
}

@Suite("A phone in the foreground of its command", .waits) struct ForegroundPhoneTests {
  private let phone = CommandPhone()

  private func start(_ words: [String] = [], _ environment: [String] = []) throws -> (Started, Manager) {
    let manager = try Manager(phone.scratch("notify"))
    let child = try phone.scratch.start(
      "/usr/bin/env",
      ["NOTIFY_SOCKET=\(manager.path)"] + environment + [
        "\(Started.directory)/baton", "--home", phone.home, "up", "--foreground",
      ] + words)
    return (child, manager)
  }

  private func isUp(_ daemon: Daemon) -> Bool { phone.phone.answers(daemon) }

  @Test func `READY=1 comes when both daemons answer, not before`() throws {
    // An iosd that waits for the test before it starts.
    mkfifo(phone.scratch("gate"), 0o600)
    let slow = phone.scratch.write(
      "iosd",
      "#!/bin/sh\nread -r x <'\(phone.scratch("gate"))'\nexec '\(Started.directory)/iosd' \"$@\"\n")
    chmod(slow, 0o700)
    let (child, manager) = try start(["--iosd", slow])
    try Wait.until("lspd to be up") { isUp(.lspd) }
    #expect(manager.heard() == nil)
    let gate = open(phone.scratch("gate"), O_WRONLY)
    defer { close(gate) }
    writeAll(gate, Array("go\n".utf8))
    try manager.wait(for: "READY=1")
    #expect(isUp(.iosd) && isUp(.lspd))
    kill(child.pid, SIGTERM)
    expect(child.end(), is: .exited(code: 0))
  }

  @Test func `A signal while a daemon does not answer ends the start with 0, and both daemons`() throws {
    let stopped = phone.scratch("stopped")
    let slow = phone.scratch.write("iosd", "#!/bin/sh\necho $$ >'\(stopped)'\nkill -STOP $$\n")
    chmod(slow, 0o700)
    let (child, manager) = try start(["--iosd", slow])
    try Wait.until("iosd to be started") { phone.scratch.text("stopped").hasSuffix("\n") }
    let iosd = try #require(Int32(phone.scratch.text("stopped").dropLast()))
    kill(child.pid, SIGINT)
    expect(child.end(), is: .exited(code: 0))
    #expect(manager.heard() == nil)
    // At its deadline the start would have failed, with a sentence about iosd.
    expect(phone.scratch.text("said"), is: Self.interrupted)
    #expect(!isUp(.lspd) && kill(iosd, 0) != 0)
  }

  private static let interrupted =
    "baton: interrupted by SIGINT before the phone was up; all that was started is ended\n"

  @Test func `A signal while another start goes on ends the command with 0, and starts nothing`() throws {
    let home = phone.phone
    try FileManager.default.createDirectory(atPath: home.os, withIntermediateDirectories: true)
    for path in [home.home, home.os] { chmod(path, 0o700) }
    let other = open("\(home.os)/up.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(other) }
    try #require(flock(other, LOCK_EX | LOCK_NB) == 0)
    let (child, manager) = try start()
    // It handles the signal, and has opened the lock.
    try Wait.until("the command to wait for the lock") {
      let files = "/proc/\(child.pid)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: files).contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)"))?.hasSuffix("/up.lock")
          == true
      }
    }
    kill(child.pid, SIGINT)
    expect(child.end(), is: .exited(code: 0))
    expect(phone.scratch.text("said"), is: Self.interrupted)
    #expect(manager.heard() == nil && !isUp(.lspd))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func `A signal stops the phone, which says STOPPING=1, and the exit code is 0`(signal: Int32) throws {
    let (child, manager) = try start()
    try manager.wait(for: "READY=1")
    kill(child.pid, signal)
    try manager.wait(for: "STOPPING=1")
    expect(child.end(), is: .exited(code: 0))
    #expect(!isUp(.iosd) && !isUp(.lspd))
  }

  @Test(arguments: Daemon.allCases)
  func `A daemon that crashes ends the command with 69, and the other daemon too`(_ daemon: Daemon) throws {
    let (child, manager) = try start()
    try manager.wait(for: "READY=1")
    let pid = try #require(DaemonProbe.pid(listeningOn: phone.phone.socket(of: daemon)))
    kill(pid, SIGKILL)
    expect(child.end(), is: .exited(code: 69))
    #expect(!isUp(.iosd) && !isUp(.lspd))
    #expect(phone.scratch.text("said").contains("\(daemon.rawValue) (process \(pid)) was ended by SIGKILL"))
  }

  @Test func `baton down ends the command with 0`() throws {
    let (child, manager) = try start()
    try manager.wait(for: "READY=1")
    let down = try phone.scratch.start("baton", ["--home", phone.home, "down"], into: "down")
    expect(down.end(), is: .exited(code: 0))
    expect(child.end(), is: .exited(code: 0))
  }

  @Test func `A phone that is up already is refused, and stays up`() throws {
    _ = try phone.run("up")
    let (child, manager) = try start()
    expect(child.end(), is: .exited(code: 69))
    #expect(manager.heard() == nil)
    #expect(isUp(.iosd) && isUp(.lspd))
  }

  @Test func `The manager's watchdog hears from a phone that answers, not from one that hangs`() throws {
    let (child, manager) = try start([], ["WATCHDOG_USEC=20000"])
    try manager.wait(for: "READY=1")
    try manager.wait(for: "WATCHDOG=1")
    let iosd = try #require(DaemonProbe.pid(listeningOn: phone.phone.iosdSocket))
    kill(iosd, SIGSTOP)
    while manager.heard() != nil {}
    // Our questions to lspd take many intervals of the watchdog.
    for _ in 0..<2000 { #expect(isUp(.lspd)) }
    var lines = 0
    while manager.heard() != nil { lines += 1 }
    // One question may have been answered just before the stop.
    #expect(lines <= 1, "\(lines)")
    kill(iosd, SIGCONT)
    try manager.wait(for: "WATCHDOG=1")
    kill(child.pid, SIGTERM)
    expect(child.end(), is: .exited(code: 0))
  }

  @Test func `Another process's watchdog is not ours, and odd values are none`() {
    func watchdog(_ values: [String: String]) -> TimeSpan? { ServiceManager { values[$0] }.watchdog }
    expect(watchdog(["WATCHDOG_USEC": "3000000"]), is: .seconds(3))
    expect(watchdog(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"]), is: .seconds(3))
    #expect(watchdog(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"]) == nil)
    for odd in ["", "0", "-5", "x", "\(Int64.max)"] { #expect(watchdog(["WATCHDOG_USEC": odd]) == nil) }
  }
}
