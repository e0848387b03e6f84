import PhoneClient
import DaemonRuntime
import Foundation
import Glibc
import Testing
import WaitingTests

@testable import IOSd

@Suite("A full storage", .serialized, .waits) struct StorageTests {
  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func `The switch storage-full fills a small disk of the container's own until the switch is off`() throws {
    let disk = try DiskPhone("1m")
    let phone = disk.phone
    #expect(disk.writeError == 0)
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    #expect(disk.writeError == ENOSPC)
    // A repeated request changes nothing.
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    try phone.ask("device", ["storage-full": "no"])
    #expect(disk.writeError == 0)
    #expect(try disk.names.isEmpty)
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func
    `After a kill and restart of iosd the disk is full if the switch storage-full is on, and has space if it is off`()
    throws
  {
    let disk = try DiskPhone("1m")
    let phone = disk.phone
    try phone.ask("device", ["storage-full": "yes"])
    try disk.killAndRestart()
    #expect(disk.writeError == ENOSPC)
    let switches = "\(phone.home)/os/device.json"
    let text = try String(contentsOfFile: switches, encoding: .utf8)
    try text.replacing("\"storage_full\":true", with: "\"storage_full\":false")
      .write(toFile: switches, atomically: true, encoding: .utf8)
    try disk.killAndRestart()
    #expect(disk.writeError == 0)
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func `With storage-full on, space that becomes free is filled when the next process starts`() throws {
    let disk = try DiskPhone("1m")
    let phone = disk.phone
    let page = "\(disk.group)/given-up"
    try Data(repeating: 1, count: 65_536).write(to: URL(filePath: page))
    try phone.ask("device", ["storage-full": "yes"])
    unlink(page)
    #expect(disk.writeError == 0)
    try phone.ask("open")
    #expect(disk.writeError == ENOSPC)
  }

  @Test(.enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func
    `With storage-full on, space that becomes free is filled when a process ends, also after the switch was off`()
    throws
  {
    let disk = try DiskPhone("1m")
    for place in 1...2 {
      let path = "\(disk.group)/\(place)"
      try Data(count: 65_536).write(to: URL(fileURLWithPath: path))
      #expect(try disk.note(["storage-full": "yes"]) == nil)
      try disk.phone.ask("open")
      #expect(disk.writeError == ENOSPC)
      try FileManager.default.removeItem(atPath: path)
      #expect(disk.writeError == 0)
      try disk.phone.ask("quit")
      try Wait.until("the app to end") { try disk.phone.state("app") == "not running" }
      #expect(disk.writeError == ENOSPC)
      #expect(try disk.note(["storage-full": "no"]) == nil)
    }
  }

  @Test(
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"),
    arguments: [("0", "its file system has no size limit"), ("4g", "MiB to fill")])
  func `The switch storage-full does not fill a disk without a size limit or of 4 GiB`(
    _ size: String, _ words: String
  ) throws {
    let disk = try DiskPhone(size)
    #expect(try disk.note(["storage-full": "yes"])?.contains(words) == true)
    #expect(disk.writeError == 0)
    #expect(try disk.names.isEmpty)
  }

  @Test(
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"),
    arguments: ["phone", "a user's phone"])
  func `The command that storage-full suggests moves the container with its files to a disk of its own`(
    _ name: String
  ) throws {
    let disk = try DiskPhone(named: name) { disk in
      try "of the wallet".write(toFile: "\(disk.group)/node", atomically: true, encoding: .utf8)
      try disk.type(StorageObstacle.move(disk.group), mounting: disk.group)
    }
    #expect(try String(contentsOfFile: "\(disk.group)/node", encoding: .utf8) == "of the wallet")
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    #expect(disk.writeError == ENOSPC)
    let beside = try FileManager.default.contentsOfDirectory(atPath: disk.phone.home)
    #expect(!beside.contains { $0.hasSuffix(".disk") })
  }

  @Test
  func `On a shared disk storage-full fills nothing, and says how to give the container a disk of its own`()
    throws
  {
    let disk = try DiskPhone(nil)
    let words = try disk.note(["storage-full": "yes"])
    #expect(
      words?.contains("has no size-limited file system of its own: nothing is mounted there;\n") == true)
    #expect(words?.hasSuffix("\n  \(StorageObstacle.move(disk.group))") == true)
    #expect(disk.writeError == 0)
    #expect(try disk.note(["storage-full": "no"]) == nil)
  }
}
