// Platform/OwnFiles: whether only this user can change a file or directory. It checks open descriptors, as the file at a
// path may be replaced at any moment.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory of this user, held open: files opened or created through it are in the checked directory, even if
/// its path changes.
public final class OwnDirectory {
  public let path: String
  /// Only for `openat` and the like, not for reading.
  public let descriptor: Int32
  /// Just created: its name may not be durable yet.
  public private(set) var isNew = false

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Throws for a link, and for a directory that another user owns or may change. Of the path above it, each link and
  /// directory must be this user's or root's, or sticky: another user could put another directory in this one's place.
  public static func open(_ path: String) throws(OwnError) -> OwnDirectory {
    let names = path.split(separator: "/").filter { $0 != "." }
    let root = path.hasPrefix("/") ? "/" : "./"
    try checkAbove(root + names.dropLast().joined(separator: "/"))
    // With a slash or a dot at its end, a link would be followed.
    return try look(at: root + names.joined(separator: "/"), path)
  }

  /// As `open`, but creates a missing directory for this user only; its parent must exist. Opens before it creates: for
  /// an existing directory a sandbox fails `mkdir` with its own error, not EEXIST.
  public static func make(_ path: String) throws(OwnError) -> OwnDirectory {
    do throws(OwnError) { return try open(path) } catch {
      guard error.fault == .failed(ENOENT) else { throw error }
    }
    let isNew = mkdir(path, 0o700) == 0
    guard isNew || errno == EEXIST else { throw OwnError(path: path, fault: .failed(errno)) }
    let directory = try open(path)
    directory.isNew = isNew
    return directory
  }

  /// A descriptor for listing or syncing its names; the caller closes it. Negative with `errno`.
  public func openToRead() -> Int32 { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

  private static func look(at place: String, _ path: String) throws(OwnError) -> OwnDirectory {
    let descriptor = Kernel.openPlace(place, in: AT_FDCWD, followsLink: false)
    if descriptor < 0 { throw OwnError(path: path, fault: .failed(errno)) }
    let directory = OwnDirectory(path: path, descriptor: descriptor)
    if let fault = OwnFault.find(descriptor: descriptor, mustBe: .directory) {
      throw OwnError(path: path, fault: fault)
    }
    return directory
  }

  /// The path as it is written, which may have links, and the one that it leads to.
  private static func checkAbove(_ written: String) throws(OwnError) {
    guard let real = realpath(written, nil) else { return }
    defer { free(real) }
    for way in [written, String(cString: real)] {
      var place = way.hasPrefix("/") ? "" : "."
      for name in way.split(separator: "/") where name != "." {
        place += "/\(name)"
        var status = stat()
        guard lstat(place, &status) == 0 else { continue }
        if let fault = OwnFault.find(above: UInt32(status.st_mode), owner: UInt32(status.st_uid)) {
          throw OwnError(path: place, fault: fault)
        }
      }
    }
  }
}
