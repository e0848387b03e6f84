import Ground
import Platform
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import Baton

/// Endless or unreadable files in place of journals and databases.
@Suite("An endless or unreadable file in place of a journal or log", .waits) struct HugeFileTests {
  private let scratch = Scratch()
  private static let start =
    "{\"seq\":1,\"t\":5,\"wall\":0,\"kind\":\"start\",\"process\":\"iosd\",\"pid\":7,\"start_time\":5}\n"

  private static let bounded: ConditionTrait = .disabled(
    if: CommandPhone.isSanitized, "a sanitizer wants more than an address space of 2 GB")

  /// Runs `baton` with an address space of 2 GB.
  private func run(_ words: String...) -> (ending: ChildEnd.How?, said: String) {
    let line =
      "ulimit -v 2000000; TMPDIR=\(scratch.path) exec \(Scratch.programs)/baton \(words.joined(separator: " "))"
    guard let child = try? scratch.start("/bin/sh", ["-c", line]) else { return (nil, "it did not start") }
    return (scratch.end(child), scratch.text("said"))
  }

  private func sparse(_ name: String, gigabytes: Int) throws -> String {
    let path = scratch.write(name, "")
    try #require(truncate(path, gigabytes << 30) == 0)
    return path
  }

  @Test(
    Self.bounded,
    arguments: ["sparse", "pipe", "device", "directory"])
  func `replay refuses an endless or unreadable file in one sentence`(kind: String) throws {
    var path = scratch("journal.jsonl")
    switch kind {
    case "sparse": path = try sparse("journal.jsonl", gigabytes: 20)
    case "pipe": try #require(mkfifo(path, 0o600) == 0)
    case "device": path = "/dev/zero"
    default: try #require(mkdir(path, 0o700) == 0)
    }
    let (ending, said) = run("replay", path)
    #expect(ending == .exited(code: 74), "\(said)")
    #expect(said.hasPrefix("baton: ") && said.split(separator: "\n").count == 1, "\(said)")
    let words = ["sparse": "is longer than 16 MB", "directory": "it is a directory"]
    #expect(said.contains(words[kind] ?? "it is not a plain file"), "\(said)")
  }

  @Test func `baton replay follows a symbolic link given as an argument`() throws {
    scratch.write("a.jsonl", Self.start)
    try #require(symlink(scratch("a.jsonl"), scratch("link.jsonl")) == 0)
    #expect(try JournalReplay.run(scratch("link.jsonl")).records == 1)
  }

  @Test(Self.bounded)
  func `logs skips an endless or unreadable journal with one sentence and shows the others`() throws {
    scratch.write("phone/journal/a-iosd-7.jsonl", Self.start)
    _ = try sparse("phone/journal/b-lspd-8.jsonl", gigabytes: 20)
    try #require(mkfifo(scratch("phone/journal/c-lspd-9.jsonl"), 0o600) == 0)
    try #require(symlink("/dev/zero", scratch("phone/journal/d-lspd-9.jsonl")) == 0)
    let (ending, said) = run("--home", scratch("phone"), "logs")
    let lines = said.split(separator: "\n")
    #expect(ending == .exited(code: 74), "\(said)")
    #expect(lines.count == 4, "\(said)")
    #expect(lines.count { $0.contains("started as process 7") } == 1)
    #expect(lines.count { $0.contains("b-lspd-8.jsonl is longer than 16 MB") } == 1)
    #expect(lines.count { $0.contains("c-lspd-9.jsonl: it is not a plain file") } == 1)
    #expect(lines.count { $0.contains("d-lspd-9.jsonl: it is a symbolic link") } == 1)
  }

  @Test(Self.bounded)
  func `baton judge refuses to copy a write-ahead log above 2 GB and leaves nothing behind`() throws {
    scratch.write("phone/AppGroup/node.sqlite", "")
    _ = try sparse("phone/AppGroup/node.sqlite-wal", gigabytes: 20)
    let (ending, said) = run("judge", scratch("phone"))
    #expect(ending == .exited(code: 74), "\(said)")
    #expect(said.contains("node.sqlite-wal has 20 GB, and the judge copies no file above 2 GB: "), "\(said)")
    #expect(said.split(separator: "\n").count == 1)
    #expect(!scratch.names.contains { $0.hasPrefix("judge-") })
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `The judge leaves no scratch directory behind when a signal ends it`(number: Int32) throws {
    try FilePath.makeDirectories(scratch("phone/AppGroup"))
    try FilePath.makeDirectories(scratch("tmp"))
    let database = try Connection(
      path: scratch("phone/AppGroup/node.sqlite"), access: .create, busyTimeoutMs: 5000)
    try database.execute("CREATE TABLE meta (key TEXT)")
    // The judge waits for the lock with its scratch directory made; with a log it would not wait.
    _ = try database.firstRow("PRAGMA journal_mode = DELETE")
    try database.execute("BEGIN EXCLUSIVE")
    let line = "TMPDIR=\(scratch("tmp")) exec \(Scratch.programs)/baton judge \(scratch("phone"))"
    let child = try scratch.start("/bin/sh", ["-c", line])
    let names = { (try? FileManager.default.subpathsOfDirectory(atPath: scratch("tmp"))) ?? [] }
    let deadline = Clock.monotonicNow + .seconds(60)
    while !names().contains(where: { $0.contains("/judge-") }) {
      let isTooLate = Clock.monotonicNow >= deadline
      try #require(!isTooLate, "\(scratch.text("said"))")
      poll(nil, 0, 1)
    }
    kill(child.identity.pid, number)
    #expect(scratch.end(child) == .exited(code: 128 + number))
    #expect(names() == [])
    try database.execute("ROLLBACK")
  }
}
