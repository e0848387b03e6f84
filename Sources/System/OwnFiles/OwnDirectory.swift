// OwnFiles: whether only this user can change a file or directory. It checks open descriptors, as the file at a
// path may be replaced at any moment.

import Platform

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

  /// Throws for a link, and for a directory that another user owns or may change. Links in the path above it are
  /// followed if this user or root owns them: another user could redirect them.
  public static func open(_ path: String) throws(OwnError) -> OwnDirectory { try reach(path, making: false) }

  /// As `open`, but creates a missing directory for this user only; its parent must exist.
  public static func make(_ path: String) throws(OwnError) -> OwnDirectory { try reach(path, making: true) }

  /// Opens a directory in this one.
  public func open(_ name: String) throws(OwnError) -> OwnDirectory {
    try Self.look(at: name, in: descriptor, path: "\(path)/\(name)")
  }

  public func make(_ name: String) throws(OwnError) -> OwnDirectory {
    let isNew = try Self.make(name, in: descriptor, path: "\(path)/\(name)")
    let directory = try open(name)
    directory.isNew = isNew
    return directory
  }

  /// A descriptor for listing or syncing its names; the caller closes it. Negative with `errno`.
  public func openToRead() -> Int32 { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

  // MARK: Path walk

  private static func reach(_ path: String, making: Bool) throws(OwnError) -> OwnDirectory {
    guard Kernel.opensTheWay else { return try reachAtOnce(path, making: making) }
    var names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
    let last = names.popLast() ?? "."
    var place = Kernel.openPlace(path.hasPrefix("/") ? "/" : ".", in: AT_FDCWD, followsLink: true)
    if place < 0 { throw OwnError(path: path, fault: .failed(errno)) }
    defer { close(place) }
    var walked = path.hasPrefix("/") ? "" : "."
    for name in names {
      walked += "/\(name)"
      let next = try step(into: name, from: place, path: walked, to: path)
      close(place)
      place = next
    }
    let isNew = making && last != "." ? try make(last, in: place, path: path) : false
    let directory = try look(at: last, in: place, path: path)
    directory.isNew = isNew
    return directory
  }

  /// For systems where the directories above cannot be opened. Opens before it creates: for an existing directory a
  /// sandbox fails `mkdir` with its own error, not EEXIST.
  static func reachAtOnce(_ path: String, making: Bool) throws(OwnError) -> OwnDirectory {
    do throws(OwnError) {
      return try look(at: path, in: AT_FDCWD, path: path)
    } catch {
      guard making, error.fault == .failed(ENOENT) else { throw error }
    }
    let isNew = try make(path, in: AT_FDCWD, path: path)
    let directory = try look(at: path, in: AT_FDCWD, path: path)
    directory.isNew = isNew
    return directory
  }

  private static func step(
    into name: String, from place: Int32, path: String, to end: String
  ) throws(OwnError) -> Int32 {
    let next = Kernel.openPlace(name, in: place, followsLink: false)
    if next < 0 { throw OwnError(path: end, fault: .failed(errno)) }
    var status = stat()
    guard fstat(next, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return next }
    close(next)
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw OwnError(path: path, fault: .link(owner: status.st_uid))
    }
    let target = Kernel.openPlace(name, in: place, followsLink: true)
    if target < 0 { throw OwnError(path: end, fault: .failed(errno)) }
    return target
  }

  /// False if the name exists already.
  private static func make(_ name: String, in place: Int32, path: String) throws(OwnError) -> Bool {
    if mkdirat(place, name, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw OwnError(path: path, fault: .failed(errno)) }
    return false
  }

  private static func look(at name: String, in place: Int32, path: String) throws(OwnError) -> OwnDirectory {
    let descriptor = Kernel.openPlace(name, in: place, followsLink: false)
    if descriptor < 0 { throw OwnError(path: path, fault: .failed(errno)) }
    let directory = OwnDirectory(path: path, descriptor: descriptor)
    if let fault = OwnFault.find(descriptor: descriptor, mustBe: .directory) {
      throw OwnError(path: path, fault: fault)
    }
    return directory
  }
}
