import DaemonRuntime
import Foundation
import WaitingTests
import Glibc
import Testing

/// A phone whose container has its own disk while the test runs.
final class DiskPhone {
  static let canMount: Bool = {
    var template = Array("/tmp/baton-mount-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return false }
    defer { rmdir(made) }
    guard mount("tmpfs", made, "tmpfs", 0, "size=64k") == 0 else { return false }
    return umount2(made, Int32(MNT_DETACH)) == 0
  }()

  let phone: PhoneProcess
  private var mounts: [String] = []

  var group: String { "\(phone.home)/AppGroup" }

  /// With a disk of that size; nil for no disk.
  convenience init(_ size: String?) throws {
    try self.init { disk in
      if let size { try disk.mountDisk(size, at: disk.group) }
    }
  }

  /// `prepare` changes the container while the phone is down.
  init(named name: String = "phone", _ prepare: (DiskPhone) throws -> Void) throws {
    phone = try PhoneProcess(named: name)
    try phone.ask("down")
    phone.process.waitUntilExit()
    try prepare(self)
    try phone.restart()
  }

  deinit {
    kill(phone.process.processIdentifier, SIGKILL)
    phone.process.waitUntilExit()
    for place in mounts.reversed() { umount2(place, Int32(MNT_DETACH)) }
  }

  func mountDisk(_ size: String, at place: String) throws {
    mkdir(place, 0o700)
    try #require(mount("tmpfs", place, "tmpfs", 0, "size=\(size),mode=700") == 0)
    mounts.append(place)
  }

  /// Runs a shell command that mounts a disk at `place`.
  func type(_ words: String, mounting place: String) throws {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", words]
    try shell.start()
    shell.waitUntilExit()
    mounts.append(place)
    try #require(shell.terminationStatus == 0)
  }

  /// A bind mount of `source` at another place.
  func bind(_ source: String, at place: String) throws {
    mkdir(place, 0o700)
    try #require(mount(source, place, nil, UInt(MS_BIND), nil) == 0)
    mounts.append(place)
  }

  func unmount(_ place: String) throws {
    try #require(umount2(place, 0) == 0)
    mounts.removeAll { $0 == place }
  }

  func killAndRestart() throws {
    kill(phone.process.processIdentifier, SIGKILL)
    phone.process.waitUntilExit()
    try phone.restart()
  }

  /// 0 when a page can be written, else errno.
  var writeError: Int32 {
    let path = "\(group)/a-page"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer {
      close(descriptor)
      unlink(path)
    }
    return write(descriptor, [UInt8](repeating: 1, count: 4096), 4096) == 4096 ? 0 : errno
  }

  /// The note of `baton device` when the storage is marked full without effect.
  func note(_ fields: KeyValuePairs<String, String> = [:]) throws -> String? {
    let answer = try JSONSerialization.jsonObject(with: Data(try phone.ask("device", fields).body))
    return (answer as? [String: Any])?["storage_note"] as? String
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: group) }
  }

  /// How often iosd's journals contain the words.
  func journalSays(_ words: String) throws -> Int {
    try phone.journal().components(separatedBy: words).count - 1
  }
}
