import DaemonRuntime

/// Why a storage that is full is so in name alone.
enum StorageObstacle: Hashable, CustomStringConvertible {
  case noDiskOfItsOwn(container: String)
  case tooLarge(container: String, freeBytes: UInt64)
  case failed(SystemError)

  /// Nil: the container has a small disk to itself.
  init?(of home: PhoneHome) {
    let others = [home.path, home.system, home.journal, home.keychain].map { StorageRoom(of: $0)?.device }
    guard let own = StorageRoom(of: home.container), own.isBounded, !others.contains(own.device),
      !others.contains(nil)
    else {
      self = .noDiskOfItsOwn(container: home.container)
      return
    }
    guard own.freeBytes > StorageBallast.roomMax else { return nil }
    self = .tooLarge(container: home.container, freeBytes: own.freeBytes)
  }

  var description: String {
    switch self {
    case .noDiskOfItsOwn(let container):
      "the storage is marked as full, and nothing runs out of room by it, as \(container) is on no disk of its own; while the phone is down give it one with `mount -t tmpfs -o size=16m,mode=700 tmpfs \(container)`"
    case .tooLarge(let container, let freeBytes):
      "the storage is marked as full, and nothing runs out of room by it, as the disk of \(container) has \(freeBytes >> 20) MiB to fill, and more than \(StorageBallast.roomMax >> 20) are none of iosd's to take; give it a smaller one"
    case .failed(let error): "the storage is marked as full, and there is still room in it: \(error)"
    }
  }
}
