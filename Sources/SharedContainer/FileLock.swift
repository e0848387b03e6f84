#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock that proves that a process of one role lives.
public typealias RoleLock = FileLock

/// The lock by which the app says, for as long as it lives and wants it, that it wants the node.
public typealias IntentLock = FileLock

/// What a try to take a lock gave. Busy is not an error: a probe may have held it for an instant, so a try that
/// fails with nobody of one's role alive is simply repeated.
public enum LockTry: Hashable, Sendable {
  case taken
  case busy
  case damaged(ContainerError)
}

/// What somebody who only wants to know finds.
public enum LockProbe: Hashable, Sendable {
  case free
  case busy
  /// No lock can be proven to be free here: what it guards may be alive.
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
  /// The instant between locking and comparing, in which a test replaces the file.
  var onLocked: () -> Void = {}

  /// Opens nothing yet; a lock that is only ever probed needs no descriptor.
  public init(path: String) { self.path = path }

  deinit { closeDescriptor() }

  /// Opens the file, creating it if it is missing. Called first in a process, before SQLite and sockets: the
  /// kernel closes a dead process's descriptors in an order, and with a lock's number above a socket's number the
  /// lock is sometimes free while the dead holder's socket is still open.
  public func open() throws(ContainerError) {
    if descriptor < 0 { descriptor = try GuardFile.openOrCreate(path) }
  }

  /// Takes the lock if nobody has it; never waits. Taking a lock that is already held is a no-op.
  public func tryTake() -> LockTry {
    var wasBusy = false
    for _ in 0..<Self.triesMax {
      do {
        if !leadsToDescriptor { closeDescriptor() }
        try open()
      } catch {
        return .damaged(error)
      }
      if isHeld { return .taken }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let code = errno
        if code != EWOULDBLOCK && code != EINTR {
          return .damaged(.lockUnavailable(path: path, because: "as \(String(cString: strerror(code)))"))
        }
        wasBusy = wasBusy || code == EWOULDBLOCK
        // Whoever only probes is gone within a microsecond of running.
        sched_yield()
        continue
      }
      onLocked()
      // The path may have come to lead to another file between opening and locking; then others lock that one.
      if leadsToDescriptor {
        isHeld = true
        return .taken
      }
      closeDescriptor()
    }
    if wasBusy { return .busy }
    return .damaged(.lockUnavailable(path: path, because: "as it is replaced again and again"))
  }

  public func drop() {
    if isHeld { flock(descriptor, LOCK_UN) }
    isHeld = false
  }

  /// Whether the lock is held and others see it: false once the file was replaced or removed under its holder.
  public var stillGuards: Bool { isHeld && leadsToDescriptor }

  /// Whether anybody holds the lock, this process included.
  ///
  /// Asks with a shared lock on a descriptor of its own, dropped at once: a shared lock, so that two who probe
  /// do not take each other for the holder; a descriptor of its own, as a lock on the holder's would replace it.
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

  /// Whether somebody else holds the lock.
  public func isHeldByAnother() -> Bool { !stillGuards && probe() == .busy }

  private var leadsToDescriptor: Bool {
    guard descriptor >= 0, let mine = FileFacts.of(descriptor: descriptor), mine.links == 1,
      case .success(let there) = FileFacts.at(path)
    else { return false }
    return there.isSameFile(as: mine)
  }

  /// Closing alone would not drop the lock while a child that was just started still has our descriptors. The number
  /// becomes free first, so that the next opening gets it again.
  private func closeDescriptor() {
    if descriptor >= 0 {
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    descriptor = -1
    isHeld = false
  }
}
