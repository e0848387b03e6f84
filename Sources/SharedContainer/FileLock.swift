#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock that proves that a process of one role is alive.
public typealias RoleLock = FileLock

/// Held by the app while it wants the node.
public typealias IntentLock = FileLock

/// The result of a try to take a lock. Busy is not an error: a probe may hold it for an instant, so a failed try
/// without another process of the role is repeated.
public enum LockTry: Hashable, Sendable {
  case taken
  case busy
  case damaged(ContainerError)
}

/// The result of a probe.
public enum LockProbe: Hashable, Sendable {
  case free
  case busy
  /// The lock cannot be proven free: its holder may be alive.
  case damaged(ContainerError)
}

/// One `flock` file: the kernel drops the lock when its holder dies, and keeps it while its holder is stopped.
/// The file is never unlinked: two files of one path would give two holders.
public final class FileLock {
  public let path: String
  /// → true by `tryTake`, → false by `drop`
  public private(set) var isHeld = false
  private var descriptor: Int32 = -1
  private static let triesMax = 8
  /// Between locking and comparing; a test replaces the file here.
  var onLocked: () -> Void = {}

  /// Opens nothing: a lock that is only probed needs no descriptor.
  public init(path: String) { self.path = path }

  deinit { closeDescriptor() }

  /// Opens the file, creating it if it is missing. Called first in a process, before SQLite and sockets: at a
  /// process's death the kernel closes descriptors in order, and a lock with a higher number than a socket is
  /// sometimes free while the socket is still open.
  public func open() throws(ContainerError) {
    if descriptor < 0 { descriptor = try GuardFile.openOrCreate(path) }
  }

  /// Takes the lock if it is free; never waits. A no-op if it is already held.
  public func tryTake() -> LockTry {
    var wasBusy = false
    for _ in 0..<Self.triesMax {
      do {
        if !leadsToDescriptor { closeDescriptor() }
        try open()
      } catch { return .damaged(error) }
      if isHeld { return .taken }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let code = errno
        if code != EWOULDBLOCK && code != EINTR {
          return .damaged(.lockUnavailable(path: path, because: "as \(String(cString: strerror(code)))"))
        }
        wasBusy = wasBusy || code == EWOULDBLOCK
        // A probe drops the lock within a microsecond of running.
        sched_yield()
        continue
      }
      onLocked()
      // The file at the path may have been replaced between opening and locking; other processes then lock that file.
      if leadsToDescriptor {
        isHeld = true
        return .taken
      }
      closeDescriptor()
    }
    if wasBusy { return .busy }
    return .damaged(.lockUnavailable(path: path, because: "as it keeps being replaced"))
  }

  public func drop() {
    if isHeld { flock(descriptor, LOCK_UN) }
    isHeld = false
  }

  /// Whether the lock is held and effective: false once its file was replaced or removed.
  public var stillGuards: Bool { isHeld && leadsToDescriptor }

  /// Whether any process holds the lock, this one included.
  ///
  /// Takes a shared lock, dropped at once, so that two probes do not count each other as the holder; on a descriptor
  /// of its own, as the holder's descriptor would lose its lock.
  public func probe() -> LockProbe {
    let probing: Int32
    do {
      probing = try GuardFile.openExisting(path, O_RDONLY)
    } catch {
      return .damaged(error)
    }
    defer { close(probing) }
    while flock(probing, LOCK_SH | LOCK_NB) != 0 {
      let code = errno
      if code == EWOULDBLOCK { return .busy }
      if code != EINTR {
        return .damaged(.lockUnavailable(path: path, because: "as \(String(cString: strerror(code)))"))
      }
    }
    flock(probing, LOCK_UN)
    return .free
  }

  private var leadsToDescriptor: Bool {
    guard descriptor >= 0, let mine = FileFacts.of(descriptor: descriptor), mine.links == 1,
      case .success(let there) = FileFacts.at(path)
    else { return false }
    return there.isSameFile(as: mine)
  }

  /// Closing alone would not drop the lock while a child just started still has our descriptors. The number is freed
  /// first, so that the next opening gets it again.
  private func closeDescriptor() {
    if descriptor >= 0 {
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    descriptor = -1
    isHeld = false
  }
}
