import DaemonRuntime
import Glibc

/// The files of a container, by name, kind, owner and rights. None is opened.
enum ContainerFiles {
  /// By their path in the container; SQLite's files by the database's.
  private static let known: Set<String> = [
    "locks", "presence", "heartbeat", "node.sqlite", "locks/app.lock", "locks/extension.lock",
    "locks/app.intent", "presence/app.sock", "presence/extension.sock", ".iosd-lock-probe",
  ]

  static func marks(in directory: String) -> [FileMark] {
    let root = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    // The directory itself by what a link leads to: a container may be read through one.
    let own = mark(root + "/.", isKnown: true).map { [$0] } ?? []
    return own.map { renamed($0, root) }
      + ["", "locks/", "presence/"].flatMap { place in
        (DirectoryListing.names(of: "\(root)/\(place)") ?? []).compactMap { name in
          mark("\(root)/\(place)\(name)", isKnown: isKnown(place + name))
        }
      }
  }

  private static func renamed(_ mark: FileMark, _ path: String) -> FileMark {
    var mark = mark
    mark.path = path
    return mark
  }

  private static func isKnown(_ name: String) -> Bool {
    let stem = ["-wal", "-shm", "-journal"].first { name.hasSuffix($0) }.map {
      String(name.dropLast($0.count))
    }
    let whole = stem ?? name
    return known.contains(whole) || whole == IncomingStore.fileName
      || whole.hasPrefix(IncomingStore.fileName + ".damaged-")
  }

  static func mark(_ path: String, isKnown: Bool) -> FileMark? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    let kind: FileMark.Kind
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .plain
    case S_IFDIR: kind = .directory
    case S_IFSOCK: kind = .socket
    case S_IFLNK: kind = .link
    default: kind = .other
    }
    return FileMark(
      path: path, kind: kind, permissions: UInt32(status.st_mode & 0o7777),
      isOurs: status.st_uid == geteuid(),
      isKnown: isKnown)
  }
}
