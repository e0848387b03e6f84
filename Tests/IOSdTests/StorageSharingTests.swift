import Foundation
import Glibc
import Testing
import WaitingTests

@testable import IOSd

@Suite("A disk that is shared is not filled", .serialized, .waits) struct StorageSharingTests {
  enum Sharing: CaseIterable {
    case directoryOfOne, secondPlace, holdsThePeer

    /// Mounts a small disk that is used outside the container too.
    func prepare(_ disk: DiskPhone) throws {
      let other = "\(disk.phone.directory)/others"
      switch self {
      case .directoryOfOne:
        try disk.mountDisk("1m", at: other)
        mkdir("\(other)/app", 0o700)
        try disk.bind("\(other)/app", at: disk.group)
      case .secondPlace:
        try disk.mountDisk("1m", at: disk.group)
        try disk.bind(disk.group, at: other)
      case .holdsThePeer:
        try disk.mountDisk("1m", at: disk.group)
        let inside = "\(disk.group)/lsp"
        mkdir(inside, 0o700)
        try FileManager.default.createSymbolicLink(
          atPath: "\(disk.phone.home)/lsp", withDestinationPath: inside)
      }
    }

    func words(_ disk: DiskPhone) -> String {
      switch self {
      case .directoryOfOne: "only /app of a file system is mounted there;"
      case .secondPlace: "its file system is also mounted at \(disk.phone.directory)/others;"
      case .holdsThePeer: "\(disk.phone.home)/lsp is on the same file system;"
      }
    }
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"), arguments: Sharing.allCases)
  func
    `The switch storage-full does not fill a disk mounted in part, mounted twice, or with the peer's files`(
      _ sharing: Sharing
    ) throws
  {
    let disk = try DiskPhone(sharing.prepare)
    let note = try disk.note(["storage-full": "yes"])
    #expect(
      note?.contains("has no size-limited file system of its own: \(sharing.words(disk))") == true,
      "\(note ?? "it is filled")")
    #expect(disk.writeError == 0)
    #expect(try !disk.names.contains(StorageBallast.name))
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func
    `The file that fills the disk is removed, with a note, when the disk becomes shared, and comes back afterwards`()
    throws
  {
    let disk = try DiskPhone("1m")
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    #expect(disk.writeError == ENOSPC)
    let other = "\(disk.phone.directory)/others"
    try disk.bind(disk.group, at: other)
    try disk.phone.ask("open")
    #expect(disk.writeError == 0)
    #expect(try !disk.names.contains(StorageBallast.name))
    #expect(try disk.note()?.contains("its file system is also mounted at \(other);") == true)
    #expect(try disk.journalSays("storage-full has no effect") == 1)
    try disk.unmount(other)
    #expect(try disk.note() == nil, "a query updates the state")
    #expect(disk.writeError == ENOSPC)
    #expect(try disk.journalSays("the storage is full: ") == 2)
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func `The file that fills the disk is removed when the disk grows beyond 1 GiB`() throws {
    let disk = try DiskPhone("1m")
    try disk.phone.ask("device", ["storage-full": "yes"])
    try #require(mount(nil, disk.group, nil, UInt(MS_REMOUNT), "size=4g") == 0)
    try disk.phone.ask("open")
    #expect(try !disk.names.contains(StorageBallast.name))
    #expect(try disk.note()?.contains("more than 1024 MiB to fill") == true)
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func
    `The file that fills a disk of 600 MiB is removed when the disk grows to 1,500 MiB, and comes back at 1 GiB`()
    throws
  {
    let disk = try DiskPhone("600m")
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    #expect(disk.writeError == ENOSPC)
    try #require(mount(nil, disk.group, nil, UInt(MS_REMOUNT), "size=1500m") == 0)
    #expect(try disk.note()?.contains("more than 1024 MiB to fill") == true)
    #expect(try disk.names.isEmpty)
    try #require(mount(nil, disk.group, nil, UInt(MS_REMOUNT), "size=1g") == 0)
    #expect(try disk.note() == nil, "exactly the bound")
    #expect(disk.writeError == ENOSPC)
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func
    `A restarted iosd removes the file that fills the disk, creates its test lock, and then fills the disk again`()
    throws
  {
    let disk = try DiskPhone("1m")
    try disk.phone.ask("device", ["storage-full": "yes"])
    let watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    defer { close(watch) }
    try #require(inotify_add_watch(watch, disk.group, UInt32(IN_CREATE | IN_DELETE)) >= 0)
    try disk.killAndRestart()
    #expect(
      Self.events(watch) == [
        "deleted .iosd-ballast", "created .iosd-lock-probe", "deleted .iosd-lock-probe",
        "created .iosd-ballast",
      ])
    #expect(disk.writeError == ENOSPC)
  }

  private static func events(_ watch: Int32) -> [String] {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = max(0, read(watch, &bytes, bytes.count))
    var rest = bytes[..<count]
    var events: [String] = []
    // Watch, kind, cookie and length of the name, four bytes each.
    while rest.count >= 16 {
      func word(_ index: Int) -> UInt32 {
        rest.dropFirst(4 * index).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      let name = rest.dropFirst(16).prefix(Int(word(3)))
      let kind = word(1) & UInt32(IN_CREATE) != 0 ? "created" : "deleted"
      events.append("\(kind) \(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))")
      rest = rest.dropFirst(16 + name.count)
    }
    return events
  }
}
