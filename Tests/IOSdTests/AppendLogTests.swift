@testable import IOSd
@testable import PhonePolicy

@Suite("The append-only log of rows", .waits) final class AppendLogTests {
  private let place = TemporaryDirectory()
  private var directory: String { place.path }

  deinit { umount2(directory, Int32(MNT_DETACH)) }

  /// Two pages: one is filled, so one is left for the log.
  private func mountSmallDisk() -> Bool { mount("tmpfs", directory, "tmpfs", 0, "size=8k") == 0 }

  private static let canMount: Bool = AppendLogTests().mountSmallDisk()

  private func row(_ id: UInt64) -> PushRow {
    PushRow(id: id, isVisible: true, hasMutableContent: true, wallNs: 1, atNs: 2)
  }

  @Test(.enabled(if: canMount, "mounting a small disk needs root"))
  func `On a full disk a row written in part is removed, and written whole before the next row that fits`()
    throws
  {
    try #require(mountSmallDisk())
    let path = "\(directory)/pushes.jsonl"
    let log = try AppendLog<PushRow>(path)
    try Data(repeating: 0, count: 4096).write(to: URL(fileURLWithPath: "\(directory)/filler"))
    var next: UInt64 = 1
    while log.append(row(next)) { next += 1 }
    #expect(!log.append(row(next + 1)))
    expect(FileManager.default.contents(atPath: path)?.last, is: UInt8(ascii: "\n"))
    unlink("\(directory)/filler")
    #expect(log.append(row(next + 2)))
    expect(AppendLog<PushRow>.rows(of: path).map(\.id), is: Array(1...next + 2))
  }

  @Test(.enabled(if: canMount, "mounting a small disk needs root"))
  func `On a full disk rows that belong together are missing together, and come together later`() throws {
    for first: UInt64 in [1, 2] {
      try #require(mountSmallDisk())
      defer { umount2(directory, Int32(MNT_DETACH)) }
      let path = "\(directory)/pushes.jsonl"
      let log = try AppendLog<PushRow>(path)
      try Data(repeating: 0, count: 4096).write(to: URL(fileURLWithPath: "\(directory)/filler"))
      // Once with an even number of rows in the file, once with an odd one: one more row may fit.
      if first == 2 { #expect(log.append(row(1))) }
      var next = first
      while log.append([row(next), row(next + 1)]) { next += 2 }
      expect(AppendLog<PushRow>.rows(of: path).map(\.id), is: Array(1..<next))
      unlink("\(directory)/filler")
      #expect(log.append(row(next + 2)))
      expect(AppendLog<PushRow>.rows(of: path).map(\.id), is: Array(1...next + 2))
    }
  }

  @Test func `A row truncated by a kill gets a line end, so that the next row has a line of its own`() throws
  {
    let path = "\(directory)/pushes.jsonl"
    #expect(try AppendLog<PushRow>(path).append(row(1)))
    let file = try #require(FileHandle(forWritingAtPath: path))
    file.seekToEndOfFile()
    file.write(Data(#"{"id":"#.utf8))
    try file.close()
    let log = try AppendLog<PushRow>(path)
    #expect(log.append(row(3)))
    #expect(log.append(row(4)))
    expect(AppendLog<PushRow>.rows(of: path).map(\.id), is: [1, 3, 4])
    expect(SmallFile.read(path, limit: 4096)?.filter { $0 == UInt8(ascii: "\n") }.count, is: 4)
  }
}
