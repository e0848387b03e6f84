import DaemonRuntime
import Glibc

/// Why the container has no file system to itself. Other files on the same file system, or other mounts of it,
/// would run out of space too.
enum SharedDisk: Hashable, CustomStringConvertible {
  case unseen(String)
  case notMounted
  case otherKind(String)
  case part(String)
  case alsoMounted(at: String)
  case alsoHolds(String)
  case unbounded

  /// File systems with free space of their own. Parts of others (btrfs, ZFS, overlays) share it.
  private static let kinds = ["tmpfs", "ext2", "ext3", "ext4", "xfs"].map { Array($0.utf8) }

  /// Nil if the container has its own file system.
  init?(of home: PhoneHome, _ room: StorageRoom?) {
    guard let room, let place = Self.place(of: home.container, in: home.path) else {
      self = .unseen(home.container)
      return
    }
    guard let table = MountTable.read() else {
      self = .unseen(MountTable.path)
      return
    }
    guard let reason = Self(at: place, room.device, table) ?? Self(beside: home, room) else { return nil }
    self = reason
  }

  /// From the mount table: the mount with that device number at that path.
  init?(at place: [UInt8], _ device: UInt64, _ table: MountTable) {
    // If mounts are stacked, the device number tells which one is visible.
    let here = table.mounts.indices.filter { table.mounts[$0].place == place }
    guard let index = here.first(where: { table.mounts[$0].device == device }) ?? here.last else {
      self = .notMounted
      return
    }
    let mount = table.mounts[index]
    let other = table.mounts.indices.first { $0 != index && table.mounts[$0].device == mount.device }
    if !Self.kinds.contains(mount.kind) {
      self = .otherKind(Self.text(mount.kind))
    } else if mount.device != device {
      self = .notMounted
    } else if mount.root != [UInt8(ascii: "/")] {
      self = .part(Self.text(mount.root))
    } else if let other {
      self = .alsoMounted(at: Self.text(table.mounts[other].place))
    } else {
      return nil
    }
  }

  private init?(beside home: PhoneHome, _ room: StorageRoom) {
    for path in [home.path, home.system, home.journal, home.keychain, home.provider] {
      let device = StorageRoom(of: path)?.device
      // lspd need not have been started.
      if device == nil, path == home.provider { continue }
      guard device == nil || device == room.device else { continue }
      self = device == nil ? .unseen(path) : .alsoHolds(path)
      return
    }
    guard !room.isBounded else { return nil }
    self = .unbounded
  }

  /// The home may be a symbolic link. The container may not: its file system would be mounted elsewhere.
  static func place(of container: String, in home: String) -> [UInt8]? {
    guard let path = realpath(home, nil) else { return nil }
    defer { free(path) }
    let name = container.utf8.dropFirst(home.utf8.count)
    let real = UnsafeBufferPointer(start: path, count: strlen(path)).map { UInt8(bitPattern: $0) }
    // Only the root ends with a slash.
    return (real == [UInt8(ascii: "/")] ? [] : real) + name
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).onOneLine }

  var description: String {
    switch self {
    case .unseen(let path): "\(path) cannot be inspected"
    case .notMounted: "nothing is mounted there"
    case .otherKind(let kind): "a \(kind) file system may share its space with others"
    case .part(let root): "only \(root) of a file system is mounted there"
    case .alsoMounted(let place): "its file system is also mounted at \(place)"
    case .alsoHolds(let path): "\(path) is on the same file system"
    case .unbounded: "its file system has no size limit"
    }
  }
}
