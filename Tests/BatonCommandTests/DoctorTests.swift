import DaemonRuntime
import Platform
import Foundation
import Glibc
import PhonePolicy
import Testing
import WaitingTests

@testable import Baton

@Suite("baton doctor", .waits) struct DoctorTests {
  private struct State {
    var kind: FindingKind
    /// A part of what is wrong, and one of what to do.
    var cause: String
    var step: String
    var name: String
    var make: (Baton.Phone) throws -> Void
  }

  private let scratch = Scratch()

  /// With the rights of the file.
  private static func spoil(_ path: String) throws {
    let handle = try #require(FileHandle(forWritingAtPath: path))
    handle.truncateFile(atOffset: 0)
    handle.write(Data(repeating: 0x55, count: 20_000))
    handle.closeFile()
  }

  private static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  private static func items(_ phone: Baton.Phone) -> [String] {
    (DirectoryListing.names(of: phone.keychain + "/items") ?? []).map { "\(phone.keychain)/items/\($0)" }
  }

  /// As after the end of a process.
  private static func end(_ role: String, of phone: Baton.Phone, _ change: (inout ProcessRow) -> Void) throws
  {
    var row = ProcessRow(
      id: 1000, role: role, pid: 77, startTime: 1, path: "/x", launchReason: "a push", startedWall: 1,
      startedAt: 1, endedWall: 2, endedAt: 2, how: "exited", number: 0)
    change(&row)
    let handle = try #require(FileHandle(forWritingAtPath: phone.processLedger))
    handle.seekToEndOfFile()
    handle.write(Data("\(row.json)\n".utf8))
    handle.closeFile()
  }

  /// Of a phone that is down.
  private static var ofFiles: [State] {
    [
      State(
        kind: .peerLost, cause: "/lsp/ledger.sqlite (file is not a database)", step: "begin a new phone",
        name: "ledger junk"
      ) {
        try spoil($0.lsp + "/ledger.sqlite")
      },
      State(kind: .peerLost, cause: "/lsp/ledger.sqlite is missing", step: "put it back", name: "ledger gone")
      {
        for suffix in ["", "-wal", "-shm"] { try? remove($0.lsp + "/ledger.sqlite" + suffix) }
      },
      State(
        kind: .peerLost, cause: "/lsp/node-key is missing", step: "put the file back", name: "node key gone"
      ) {
        try remove($0.lsp + "/node-key")
      },
      State(kind: .peerLost, cause: "/lsp/node-key has", step: "restore the original", name: "node key junk")
      {
        try spoil($0.lsp + "/node-key")
      },
      State(kind: .seedLost, cause: "/os/keychain.key is missing", step: "put the file back", name: "os gone")
      {
        try remove($0.os)
      },
      State(
        kind: .seedLost, cause: "/os/keychain.key is missing", step: "put the file back",
        name: "keychain's key gone"
      ) {
        try remove($0.os + "/keychain.key")
      },
      State(
        kind: .seedLost, cause: "/os/keychain.key has", step: "restore the original",
        name: "keychain's key junk"
      ) {
        try spoil($0.os + "/keychain.key")
      },
      State(
        kind: .seedLost, cause: "/Keychain has no seed", step: "put the items", name: "keychain items gone"
      ) {
        for item in items($0) { try remove(item) }
      },
      State(
        kind: .seedLost, cause: "/Keychain has no seed", step: "put the items",
        name: "no item but the push key"
      ) { phone in
        let path = try #require(items(phone).first)
        let item = try String(contentsOfFile: path, encoding: .utf8)
        try Data(item.replacing("wallet-seed", with: "push-key").utf8).write(to: URL(fileURLWithPath: path))
      },
      State(kind: .startRefused, cause: "/os/wallet names no wallet", step: "--wallet", name: "wallet junk") {
        try spoil($0.os + "/wallet")
      },
      State(
        kind: .startRefused, cause: "/os/iosd.sock exists and is not a socket", step: "move it away",
        name: "a directory as iosd's socket"
      ) {
        try FileManager.default.createDirectory(atPath: $0.iosdSocket, withIntermediateDirectories: false)
      },
      State(
        kind: .startRefused, cause: "/lsp/lspd.sock exists and is not a socket", step: "move it away",
        name: "a file as lspd's socket"
      ) {
        try Data().write(to: URL(fileURLWithPath: $0.lspdSocket))
      },
      State(
        kind: .otherSchema, cause: "schema 3, this program knows 2", step: "baton restore",
        name: "a wrong schema number"
      ) {
        try Connection(path: "\($0.container)/node.sqlite", access: .readWrite).execute(
          "PRAGMA user_version = 3")
      },
      State(kind: .unreadable, cause: "/AppGroup", step: "check the path", name: "container gone") {
        try remove($0.container)
      },
      State(
        kind: .processFailed,
        cause: "notifyextd (process 77) crashed with exit code 3; its last line: no key",
        step: "baton list processes -a", name: "an extension that crashes"
      ) {
        try end("extension", of: $0) {
          $0.path = "/x/notifyextd"
          $0.number = 3
          $0.reason = "crashed with exit code 3"
          $0.endCode = .crashed
          $0.isCrash = true
          $0.output = "/x/out"
          $0.lastLine = "no key"
        }
      },
      State(
        kind: .processFailed, cause: "mainappd (process 77) ended by itself with exit code 78",
        step: "baton list processes -a", name: "an app that gives up"
      ) {
        try end("app", of: $0) {
          $0.number = 78
          $0.reason = "ended by itself with exit code 78"
          $0.endCode = .gaveUp
        }
      },
      State(
        kind: .processFailed, cause: "notifyextd (process 77) killed: memory",
        step: "baton list processes -a",
        name: "an extension above its limit"
      ) {
        try end("extension", of: $0) {
          $0.path = "/x/notifyextd"
          $0.how = "signalled"
          $0.reason = "killed: memory"
          $0.endCode = .memoryLimit
        }
      },
    ]
  }

  private static var ofSecrets: [State] {
    ["os/keychain.key", "lsp/node-key", "Keychain/wallet-seed", "Keychain/items/"].map { name in
      State(kind: .secretInTheClear, cause: name, step: "chmod 600", name: "\(name) is readable") { phone in
        let path = name.hasSuffix("/") ? try #require(items(phone).first) : "\(phone.home)/\(name)"
        if !FilePath.exists(path) { try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: path)) }
        try #require(chmod(path, 0o644) == 0)
      }
    }
  }

  private static var ofOwners: [State] {
    [
      State(
        kind: .openToOthers, cause: "it belongs to the user 12345", step: "a path of your own",
        name: "another user's phone"
      ) { phone in
        try #require(chown(phone.home, 12345, 12345) == 0)
      }
    ]
  }

  private func findings(_ phone: Baton.Phone) throws -> [Finding] {
    try DoctorReport(ContainerPlace(phone.home), isDeep: false, mustBeThere: true).findings
  }

  private func expect(_ state: State, of phone: Baton.Phone) throws {
    let found = try findings(phone).filter { $0.gravity != .note }
    #expect(
      found.exitCode == (state.kind.gravity == .broken ? .exclusionOrMoneyBroken : .differs), "\(state.name)")
    let told = found.contains {
      $0.kind == state.kind && $0.what.contains(state.cause) && $0.sentence.contains(state.step)
    }
    #expect(told, "\(state.name): \(found.map(\.sentence))")
  }

  @Test
  func `Each state in which a phone cannot start or live is a finding with its cause and the next step`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("pay", try phone.invoice())
    _ = try phone.run("app", "quit")
    _ = try phone.run("down")
    var states = Self.ofFiles + Self.ofSecrets
    if geteuid() == 0 { states += Self.ofOwners }
    for (number, state) in states.enumerated() {
      let copy = Baton.Phone(home: scratch("\(number)"))
      let copying = try scratch.start("/bin/cp", ["-a", phone.phone.home, copy.home])
      #expect(scratch.end(copying) == .exited(code: 0), "\(scratch.text("said"))")
      #expect(try findings(copy).filter { $0.gravity != .note }.map(\.sentence) == [], "of the copy")
      try state.make(copy)
      try expect(state, of: copy)
    }
  }

  @Test(arguments: Daemon.allCases)
  func `A daemon that is stopped, dead or silent is a finding of baton doctor, with exit code 1`(
    _ daemon: Daemon
  ) throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    func process() throws -> WatchedProcess {
      try #require(DaemonProbe.pid(listeningOn: phone.phone.socket(of: daemon)).flatMap(WatchedProcess.init))
    }
    func expect(_ kind: String, _ cause: String, _ step: String) throws {
      let end = phone.scratch.end(try phone.scratch.start("baton", ["doctor", phone.phone.home]))
      let said = phone.scratch.text("said")
      #expect(end == .exited(code: 1), "\(said)")
      #expect(said.contains(kind) && said.contains(cause) && said.contains(step), "\(said)")
    }
    let running = try process()
    running.send(SIGSTOP)
    try expect(
      "daemon-stopped", "\(daemon.rawValue) \(running.pid) is stopped", "baton thaw \(daemon.rawValue)")
    running.send(SIGCONT)
    running.send(SIGKILL)
    #expect(running.waitForEnd(within: .seconds(20)))
    try expect("daemon-missing", "\(daemon.rawValue) does not run", "baton up")
    // A loop that never runs: nobody answers.
    let listener = try UnixListener(path: phone.phone.socket(of: daemon), loop: EventLoop()) { _ in }
    try expect("daemon-silent", "\(daemon.rawValue) \(getpid()) did not answer", "look at its journal")
    listener.shutDown()
    _ = try phone.run("up")
    let end = phone.scratch.end(try phone.scratch.start("baton", ["doctor", phone.phone.home]))
    #expect(end == .exited(code: 0), "\(phone.scratch.text("said"))")
  }

  @Test func `An app that hangs without a word is a finding of baton doctor, which names its output`() throws
  {
    let phone = CommandPhone()
    let app = phone.scratch.write("app", "#!/bin/sh\nexec sleep 1000\n")
    chmod(app, 0o700)
    _ = try phone.run("up", "--app", app)
    let opening = try phone.begin("app", "open", into: "opening")
    try Wait.until("the app to be silent for a while") { try phone.phone.facts().app.silence != nil }
    let pid = try #require(try phone.phone.facts().app.pid)
    let found = try #require(try findings(phone.phone).first { $0.kind == .processSilent })
    #expect(found.what.contains("mainappd (process \(pid)) is silent since its start"), "\(found.what)")
    #expect(found.what.contains("/os/output/app-1.log") && found.remedy.contains("kill \(pid)"))
    opening.send(SIGKILL)
    _ = phone.scratch.end(opening)
    #expect([found].exitCode == .differs)
  }
}
