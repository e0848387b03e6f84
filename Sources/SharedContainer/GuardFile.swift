import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens the small plain files that guard a container (locks, heartbeat), and refuses all other kinds: a link leads
/// out of the container, a second hard link survives a removal, a pipe blocks. Never used for the database: closing a
/// descriptor of a live SQLite file drops SQLite's own locks.
enum GuardFile {
  private static let triesMax = 8

  /// Creates the file if it is missing; the loser of a race opens the winner's file.
  static func openOrCreate(_ path: String) throws(ContainerError) -> Int32 {
    for _ in 0..<triesMax {
      do {
        return try openExisting(path, O_RDWR)
      } catch .missing {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { return try aboveStandardStreams(descriptor, path) }
        let code = errno
        if code != EEXIST && code != EINTR {
          throw ContainerError(errno: code, path: path, doing: "creating")
        }
      }
    }
    throw .notAPlainFile(path: path, because: "as it keeps being removed")
  }

  static func openExisting(_ path: String, _ access: Int32) throws(ContainerError) -> Int32 {
    var descriptor: Int32 = -1
    repeat {
      descriptor = open(path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw ContainerError(errno: errno, path: path, doing: "opening") }
    do {
      try check(descriptor, path, mustBeOurs: access != O_RDONLY)
    } catch {
      close(descriptor)
      throw error
    }
    return try aboveStandardStreams(descriptor, path)
  }

  /// A file opened for reading may be a copy by another user; locked and written files decide the node's owner, so
  /// they must be ours.
  private static func check(_ descriptor: Int32, _ path: String, mustBeOurs: Bool) throws(ContainerError) {
    guard let facts = FileFacts.of(descriptor: descriptor) else {
      throw ContainerError(errno: errno, path: path, doing: "looking at")
    }
    guard facts.isPlainFile else { throw .notAPlainFile(path: path, because: "as it is not a plain file") }
    if mustBeOurs, let fault = OwnFault.find(mode: facts.mode, owner: facts.owner, mustBe: .plainFile) {
      throw ContainerError(OwnError(path: path, fault: fault))
    }
    // 0: removed between opening and checking; the next try creates it again.
    guard facts.links > 0 else { throw .missing(path: path) }
    guard facts.links == 1 else {
      throw .notAPlainFile(path: path, because: "as it has \(facts.links) names")
    }
  }

  /// In a process without standard streams a lock file would become its standard output and be written to.
  private static func aboveStandardStreams(_ descriptor: Int32, _ path: String) throws(ContainerError)
    -> Int32
  {
    if descriptor > STDERR_FILENO { return descriptor }
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    let code = errno
    close(descriptor)
    guard moved >= 0 else { throw ContainerError(errno: code, path: path, doing: "opening") }
    return moved
  }
}
