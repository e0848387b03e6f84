import DaemonRuntime
import Glibc

/// The directory that is one phone, held by one iosd at a time.
final class PhoneHome {
  let path: String
  private let lock: Int32

  var system: String { "\(path)/os" }
  var container: String { "\(path)/AppGroup" }
  var keychain: String { "\(path)/Keychain" }
  var journal: String { "\(path)/journal" }
  var clock: String { "\(path)/os/clock" }
  var controlSocket: String { "\(path)/os/iosd.sock" }
  var processes: String { "\(path)/os/processes.jsonl" }
  var notifications: String { "\(path)/os/notifications.jsonl" }
  var device: String { "\(path)/os/device.json" }
  var categories: String { "\(path)/os/categories.json" }
  var keychainItems: String { "\(keychain)/items" }
  var keychainKey: String { "\(path)/os/keychain.key" }
  /// The text that the app copied last.
  var pasteboard: String { "\(path)/os/pasteboard" }
  var output: String { "\(path)/os/output" }
  var tasks: String { "\(path)/os/tasks.jsonl" }
  var pushes: String { "\(path)/os/pushes.jsonl" }
  /// While it is there, the databases of the container get no more room.
  var fullDisk: String { "\(path)/os/full-disk" }

  init(_ path: String) throws {
    self.path = path
    // Create all directories before the first file is opened.
    try OwnHome.make(path, ["os", OwnHome.container, "Keychain", "Keychain/items", "journal"])
    lock = try Self.takeLock("\(path)/os/iosd.lock", home: path)
  }

  deinit { if lock >= 0 { close(lock) } }

  /// The kernel drops the lock with the process; the file stays, as another iosd may have it open already.
  private static func takeLock(_ file: String, home: String) throws -> Int32 {
    let descriptor = try PlainFile.open(file, O_RDWR | O_CREAT)
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      let text = SmallFile.read(file, limit: 32).map { String(decoding: $0, as: UTF8.self) } ?? ""
      close(descriptor)
      guard code == EWOULDBLOCK else { throw SystemError("lock \(file)", code: code) }
      throw PhoneInUse(home: home, pid: Int32(text.prefix { $0 != "\n" }))
    }
    let line = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    pwrite(descriptor, line, line.count, 0)
    return descriptor
  }
}

/// Another iosd runs the phone.
struct PhoneInUse: Error, CustomStringConvertible {
  var home: String
  var pid: Int32?

  var description: String {
    "the phone \(home) is run by another iosd\(pid.map { " (process \($0))" } ?? ""); use that phone, or stop it with `baton down`"
  }
}
