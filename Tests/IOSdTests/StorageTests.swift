import DaemonRuntime
import Foundation
import Glibc
import Testing

@Suite("A storage that is full", .serialized) struct StorageTests {
  static let canMount: Bool = {
    var template = Array("/tmp/baton-mount-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return false }
    defer { rmdir(made) }
    guard mount("tmpfs", made, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(made, Int32(MNT_DETACH)) == 0
  }()

  private func group(_ phone: PhoneProcess) -> String { "\(phone.home)/AppGroup" }

  /// A phone whose container has a disk of that size to itself.
  private func phone(_ size: String) throws -> PhoneProcess {
    let phone = try PhoneProcess()
    try phone.ask("down")
    phone.process.waitUntilExit()
    try #require(mount("tmpfs", group(phone), "tmpfs", 0, "size=\(size),mode=700") == 0)
    try phone.restart()
    return phone
  }

  private func end(_ phone: PhoneProcess) {
    kill(phone.process.processIdentifier, SIGKILL)
    phone.process.waitUntilExit()
    umount2(group(phone), Int32(MNT_DETACH))
  }

  /// Zero when a page can be written.
  private func troubleOfWriting(_ phone: PhoneProcess) -> Int32 {
    let path = "\(group(phone))/a-page"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer {
      close(descriptor)
      unlink(path)
    }
    return write(descriptor, [UInt8](repeating: 1, count: 4096), 4096) == 4096 ? 0 : errno
  }

  private func note(_ phone: PhoneProcess, _ fields: KeyValuePairs<String, String> = [:]) throws -> String? {
    let answer = try JSONSerialization.jsonObject(with: Data(try phone.ask("device", fields).body))
    return (answer as? [String: Any])?["storage_note"] as? String
  }

  @Test(
    "Where the container has a small disk to itself nothing more fits on it, until there is room again",
    .enabled(if: canMount, "mounting a small disk needs root"))
  func full() throws {
    let phone = try phone("1m")
    defer { end(phone) }
    #expect(troubleOfWriting(phone) == 0)
    #expect(try note(phone, ["storage-full": "yes"]) == nil)
    #expect(troubleOfWriting(phone) == ENOSPC)
    // Twice is once.
    #expect(try note(phone, ["storage-full": "yes"]) == nil)
    try phone.ask("device", ["storage-full": "no"])
    #expect(troubleOfWriting(phone) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: group(phone)).isEmpty)
  }

  @Test(
    "What a killed iosd left there goes with the next start, or stays, as the phone is switched",
    .enabled(if: canMount, "mounting a small disk needs root"))
  func killed() throws {
    let phone = try phone("1m")
    defer { end(phone) }
    func restart() throws {
      kill(phone.process.processIdentifier, SIGKILL)
      phone.process.waitUntilExit()
      try phone.restart()
    }
    try phone.ask("device", ["storage-full": "yes"])
    try restart()
    #expect(troubleOfWriting(phone) == ENOSPC)
    let switches = "\(phone.home)/os/device.json"
    let text = try String(contentsOfFile: switches, encoding: .utf8)
    try text.replacing("\"storage_full\":true", with: "\"storage_full\":false")
      .write(toFile: switches, atomically: true, encoding: .utf8)
    try restart()
    #expect(troubleOfWriting(phone) == 0)
  }

  @Test(
    "Room that somebody gives up is taken when the next process is started",
    .enabled(if: canMount, "mounting a small disk needs root"))
  func givenUp() throws {
    let phone = try phone("1m")
    defer { end(phone) }
    let page = "\(group(phone))/given-up"
    try Data(repeating: 1, count: 65_536).write(to: URL(filePath: page))
    try phone.ask("device", ["storage-full": "yes"])
    unlink(page)
    #expect(troubleOfWriting(phone) == 0)
    try phone.ask("open")
    #expect(troubleOfWriting(phone) == ENOSPC)
  }

  @Test(
    "A disk without a bound, or one that is large, is nobody's to fill",
    .enabled(if: canMount, "mounting a small disk needs root"),
    arguments: [("0", "on no disk of its own"), ("4g", "MiB to fill")])
  func others(_ size: String, _ words: String) throws {
    let phone = try phone(size)
    defer { end(phone) }
    #expect(try note(phone, ["storage-full": "yes"])?.contains(words) == true)
    #expect(troubleOfWriting(phone) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: group(phone)).isEmpty)
  }

  @Test("On the disk of everything else the switch is one in name alone, and says how to have one")
  func sharedDisk() throws {
    let phone = try PhoneProcess()
    let words = try note(phone, ["storage-full": "yes"])
    #expect(words?.hasSuffix("`mount -t tmpfs -o size=16m,mode=700 tmpfs \(group(phone))`") == true)
    #expect(troubleOfWriting(phone) == 0)
    #expect(try note(phone, ["storage-full": "no"]) == nil)
  }
}
