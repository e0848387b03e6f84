import CLinux
import Glibc
import Platform

/// A path for a Unix socket. The kernel takes at most 107 bytes; longer ones go through a descriptor of the
/// directory, which `/proc/self/fd` makes short.
final class UnixPath {
  let full: String
  private let directory: String
  let name: String
  let descriptor: Int32

  init(_ path: String) throws(SystemError) {
    full = path
    // Split by bytes, as the kernel does: a slash and a combining mark after it are one Swift character.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
    name = String(path[start...])
    directory = slash == nil ? "." : String(path[..<start])
    descriptor = name.isEmpty ? -1 : baton_open_directory_path(directory)
    if descriptor < 0 {
      throw SystemError("open the directory of the socket \(path)", code: name.isEmpty ? EISDIR : errno)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The short path of a name in the same directory.
  func short(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

  func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  var isMissing: Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
  }

  func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  func rename(_ old: String, to new: String) -> Int32 { renameat(descriptor, old, descriptor, new) }

  /// A connected descriptor, or -1 with errno. A link is not followed: it could lead to any other daemon.
  func connect(blockingMilliseconds: Int64?) -> Int32 {
    let there = Kernel.openPlace(name, in: descriptor, followsLink: false)
    if there < 0 { return -1 }
    defer { Self.closeKeepingErrno(there) }
    var status = stat()
    if fstat(there, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      errno = ELOOP
      return -1
    }
    let socket = baton_seqpacket_socket()
    if socket < 0 { return -1 }
    if let milliseconds = blockingMilliseconds {
      // A full backlog makes a non-blocking connect fail at once; with a send timeout the kernel waits for us.
      var timeout = timeval(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
      _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK)
    }
    if baton_unix_connect(socket, "/proc/self/fd/\(there)") != 0 {
      Self.closeKeepingErrno(socket)
      return -1
    }
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    return socket
  }

  private static func closeKeepingErrno(_ descriptor: Int32) {
    let code = errno
    close(descriptor)
    errno = code
  }
}
