import DaemonRuntime

/// Why `storage-full` has no effect, and what to do: one line for each command.
enum StorageObstacle: Hashable, CustomStringConvertible {
  case noDiskOfItsOwn(container: String, SharedDisk)
  case tooLarge(container: String)
  case failed(SystemError)

  /// Nil if the container has a small file system to itself.
  init?(of home: PhoneHome) {
    let room = StorageRoom(of: home.container)
    if let why = SharedDisk(of: home, room) {
      self = .noDiskOfItsOwn(container: home.container, why)
      return
    }
    guard let room else { return nil }
    // Count the ballast's own size too: otherwise a file system that grows slowly would be filled without bound.
    let (bytes, overflowed) = room.freeBytes.addingReportingOverflow(StorageBallast.bytes(in: home.container))
    guard overflowed || bytes > StorageBallast.roomMax else { return nil }
    self = .tooLarge(container: home.container)
  }

  /// Copies the container's files to the new file system before mounting it there. A failing step leaves the
  /// container as it was.
  static func move(_ container: String) -> String {
    let place = ShellWord.quoted(container)
    let disk = ShellWord.quoted(container + ".disk")
    return [
      "mkdir \(disk)", "mount -t tmpfs -o size=16m,mode=700 tmpfs \(disk)", "cp -a \(place)/. \(disk)/",
      "mount --bind \(disk) \(place)", "umount \(disk)", "rmdir \(disk)",
    ].joined(separator: " &&\n  ")
  }

  var description: String {
    switch self {
    case .noDiskOfItsOwn(let container, let why):
      "storage-full has no effect: \(container) has no size-limited file system of its own: \(why);\nwhile the phone is down, move the container to one with\n  \(Self.move(container))"
    case .tooLarge(let container):
      "storage-full has no effect: the file system of \(container) has more than \(StorageBallast.roomMax >> 20) MiB to fill; give the container a smaller one"
    case .failed(let error): "storage-full has no effect: \(error)"
    }
  }
}
