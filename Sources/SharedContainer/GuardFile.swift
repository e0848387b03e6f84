import OwnFiles

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Opens the small plain files that guard a container (locks, heartbeat), and refuses everything else that may
/// lie at their paths: a link leads out of the container, a second name survives a removal, a pipe blocks.
/// Never used for the database: closing a descriptor of a live SQLite file drops SQLite's own locks.
enum GuardFile {
  private static let triesMax = 8

  /// Creates the file if it is missing; whoever loses that race opens the winner's.
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
    throw .notAPlainFile(path: path, because: "as it is removed again and again")
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

  /// Read is also a copy that somebody else sent; what is locked or written to decides who owns the node.
  private static func check(_ descriptor: Int32, _ path: String, mustBeOurs: Bool) throws(ContainerError) {
    guard let facts = FileFacts.of(descriptor: descriptor) else {
      throw ContainerError(errno: errno, path: path, doing: "looking at")
    }
    guard facts.isPlainFile else { throw .notAPlainFile(path: path, because: "as it is not a plain file") }
    if mustBeOurs, let fault = OwnFault.find(mode: facts.mode, owner: facts.owner, mustBe: .plainFile) {
      throw ContainerError(OwnError(path: path, fault: fault))
    }
    // 0: removed between opening and looking, the next try creates it again.
    guard facts.links > 0 else { throw .missing(path: path) }
    guard facts.links == 1 else {
      throw .notAPlainFile(path: path, because: "as it has \(facts.links) names")
    }
  }

  /// In a process started without standard streams a lock would become its standard output, to be written into.
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
