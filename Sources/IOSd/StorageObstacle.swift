import DaemonRuntime

/// Why a storage that is full is so in name alone, and what to do: a line for each command.
enum StorageObstacle: Hashable, CustomStringConvertible {
  case noDiskOfItsOwn(container: String, SharedDisk)
  case tooLarge(container: String)
  case failed(SystemError)

  /// Nil: the container has a small disk to itself.
  init?(of home: PhoneHome) {
    let room = StorageRoom(of: home.container)
    if let why = SharedDisk(of: home, room) {
      self = .noDiskOfItsOwn(container: home.container, why)
      return
    }
    guard let room else { return nil }
    // What the ballast has already is to fill, too: a disk that grows a little at a time would be taken whole.
    let (bytes, overflowed) = room.freeBytes.addingReportingOverflow(StorageBallast.bytes(in: home.container))
    guard overflowed || bytes > StorageBallast.roomMax else { return nil }
    self = .tooLarge(container: home.container)
  }

  /// Whoever has run needs what is there: it is copied before the disk takes its place. Any step that fails leaves the
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
      "the storage is marked as full, and nothing runs out of room by it, as \(container) is on no disk of its own: \(why);\nwhile the phone is down give it one that holds all that is there, with\n  \(Self.move(container))"
    case .tooLarge(let container):
      "the storage is marked as full, and nothing runs out of room by it, as the disk of \(container) has more than \(StorageBallast.roomMax >> 20) MiB to fill, and so much is none of iosd's to take; give it a smaller one"
    case .failed(let error): "the storage is marked as full, and there is still room in it: \(error)"
    }
  }
}
