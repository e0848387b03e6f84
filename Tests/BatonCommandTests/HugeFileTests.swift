import Platform

@testable import Baton

@Suite("The judge, interrupted", .waits) struct HugeFileTests {
  private let scratch = Scratch()

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
