import Glibc

/// Notices that a daemon's control socket is removed, as with its whole home: the daemon can then be neither asked nor
/// stopped, and a second one may be started beside it.
public final class SocketWatch {
  private let directory: Int32

  /// By the kernel's signal for a changed directory: of inotify a user has few, and there may be hundreds of phones. A
  /// kernel without it shows no removal. To be made before any thread, as the signal would end the process there.
  public init(path text: String, loop: EventLoop, removed: @escaping () -> Void) throws(SystemError) {
    let path = try UnixPath(text)
    directory = openat(path.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory < 0 { throw SystemError("watch \(text)") }
    try loop.onSignal(SIGIO) {
      // In its directory, which may have another path by now.
      if path.isMissing { removed() }
    }
    // F_NOTIFY with DN_DELETE and DN_MULTISHOT of <fcntl.h>, which are not imported.
    _ = fcntl(directory, 1026, Int32(bitPattern: 0x8000_0008))
  }

  /// For a daemon that can go down only now: the socket may be gone already. Looks in the loop.
  public func lookAgain() { kill(getpid(), SIGIO) }

  deinit { close(directory) }
}
