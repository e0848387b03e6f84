import DaemonRuntime
import Glibc

/// Why the container has no disk to itself. Whoever else is on its disk, or sees it at another place, would run out of
/// room with it.
enum SharedDisk: Hashable, CustomStringConvertible {
  case unseen(String)
  case notMounted
  case otherKind(String)
  case part(String)
  case alsoMounted(at: String)
  case alsoHolds(String)
  case unbounded

  /// File systems that are one disk with room of its own. The parts of others (btrfs, ZFS, overlays) share theirs.
  private static let kinds = ["tmpfs", "ext2", "ext3", "ext4", "xfs"].map { Array($0.utf8) }

  /// Nil: it has.
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

  /// What the mounts of this machine say of the disk of that number at that place.
  init?(at place: [UInt8], _ device: UInt64, _ table: MountTable) {
    // Where one lies upon another, the number says which is seen.
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
      // Nobody has to have started lspd.
      if device == nil, path == home.provider { continue }
      guard device == nil || device == room.device else { continue }
      self = device == nil ? .unseen(path) : .alsoHolds(path)
      return
    }
    guard !room.isBounded else { return nil }
    self = .unbounded
  }

  /// The home may be reached by a link. The container may not: then its disk is at another place, too.
  static func place(of container: String, in home: String) -> [UInt8]? {
    guard let path = realpath(home, nil) else { return nil }
    defer { free(path) }
    let name = container.utf8.dropFirst(home.utf8.count)
    let real = UnsafeBufferPointer(start: path, count: strlen(path)).map { UInt8(bitPattern: $0) }
    // The root alone ends with a slash.
    return (real == [UInt8(ascii: "/")] ? [] : real) + name
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).onOneLine }

  var description: String {
    switch self {
    case .unseen(let path): "\(path) cannot be looked at"
    case .notMounted: "nothing is mounted there"
    case .otherKind(let kind): "one of the kind \(kind) may share its room with others"
    case .part(let root): "what is mounted there is \(root) of one"
    case .alsoMounted(let place): "the one there is also at \(place)"
    case .alsoHolds(let path): "\(path) lies on it, too"
    case .unbounded: "the one there has no size"
    }
  }
}
