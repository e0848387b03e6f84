import PhoneClient
import DaemonRuntime
import Foundation
import Glibc
import Testing

@testable import IOSd

@Suite("A storage that is full", .serialized) struct StorageTests {
  @Test(
    "Where the container has a small disk to itself nothing more fits on it, until there is room again",
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func full() throws {
    let disk = try DiskPhone("1m")
    let phone = disk.phone
    #expect(disk.troubleOfWriting == 0)
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    #expect(disk.troubleOfWriting == ENOSPC)
    // Twice is once.
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    try phone.ask("device", ["storage-full": "no"])
    #expect(disk.troubleOfWriting == 0)
    #expect(try disk.names.isEmpty)
  }

  @Test(
    "What a killed iosd left there goes with the next start, and the disk is filled again if the phone is switched so",
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func killed() throws {
    let disk = try DiskPhone("1m")
    let phone = disk.phone
    try phone.ask("device", ["storage-full": "yes"])
    try disk.killAndRestart()
    #expect(disk.troubleOfWriting == ENOSPC)
    let switches = "\(phone.home)/os/device.json"
    let text = try String(contentsOfFile: switches, encoding: .utf8)
    try text.replacing("\"storage_full\":true", with: "\"storage_full\":false")
      .write(toFile: switches, atomically: true, encoding: .utf8)
    try disk.killAndRestart()
    #expect(disk.troubleOfWriting == 0)
  }

  @Test(
    "Room that somebody gives up is taken when the next process is started",
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func givenUp() throws {
    let disk = try DiskPhone("1m")
    let phone = disk.phone
    let page = "\(disk.group)/given-up"
    try Data(repeating: 1, count: 65_536).write(to: URL(filePath: page))
    try phone.ask("device", ["storage-full": "yes"])
    unlink(page)
    #expect(disk.troubleOfWriting == 0)
    try phone.ask("open")
    #expect(disk.troubleOfWriting == ENOSPC)
  }

  @Test(
    "Room that somebody gives up is taken when a process ends, and once more when that happens again",
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"))
  func givenUpAtAnEnd() throws {
    let disk = try DiskPhone("1m")
    for place in 1...2 {
      let path = "\(disk.group)/\(place)"
      try Data(count: 65_536).write(to: URL(fileURLWithPath: path))
      #expect(try disk.note(["storage-full": "yes"]) == nil)
      try disk.phone.ask("open")
      #expect(disk.troubleOfWriting == ENOSPC)
      try FileManager.default.removeItem(atPath: path)
      #expect(disk.troubleOfWriting == 0)
      try disk.phone.ask("quit")
      try Wait.until("the app to end") { try disk.phone.state("app") == "not running" }
      #expect(disk.troubleOfWriting == ENOSPC)
      #expect(try disk.note(["storage-full": "no"]) == nil)
    }
  }

  @Test(
    "A disk without a bound, or one that is large, is nobody's to fill",
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"),
    arguments: [("0", "not on its own file system"), ("4g", "MiB to fill")])
  func others(_ size: String, _ words: String) throws {
    let disk = try DiskPhone(size)
    #expect(try disk.note(["storage-full": "yes"])?.contains(words) == true)
    #expect(disk.troubleOfWriting == 0)
    #expect(try disk.names.isEmpty)
  }

  @Test(
    "The words that give it a disk of its own keep what is there, at a path with spaces too",
    .enabled(if: DiskPhone.canMount, "mounting a small disk needs root"),
    arguments: ["phone", "a user's phone"])
  func advice(_ name: String) throws {
    let disk = try DiskPhone(named: name) { disk in
      try "of the wallet".write(toFile: "\(disk.group)/node", atomically: true, encoding: .utf8)
      try disk.type(StorageObstacle.move(disk.group), mounting: disk.group)
    }
    #expect(try String(contentsOfFile: "\(disk.group)/node", encoding: .utf8) == "of the wallet")
    #expect(try disk.note(["storage-full": "yes"]) == nil)
    #expect(disk.troubleOfWriting == ENOSPC)
    let beside = try FileManager.default.contentsOfDirectory(atPath: disk.phone.home)
    #expect(!beside.contains { $0.hasSuffix(".disk") })
  }

  @Test("On the disk of everything else the switch is one in name alone, and says how to have one")
  func sharedDisk() throws {
    let disk = try DiskPhone(nil)
    let words = try disk.note(["storage-full": "yes"])
    #expect(words?.contains("is not on its own file system: nothing is mounted there;\n") == true)
    #expect(words?.hasSuffix("\n  \(StorageObstacle.move(disk.group))") == true)
    #expect(disk.troubleOfWriting == 0)
    #expect(try disk.note(["storage-full": "no"]) == nil)
  }
}
