import DaemonRuntime
import Glibc

/// The way to iosd, without waiting: a connected packet socket, or nothing.
enum PhoneSocket {
  /// Nil if nobody listens there. The path may be longer than a socket address: the directory's descriptor makes
  /// it short.
  static func connect(_ path: String, loop: EventLoop) -> UnixConnection? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let directory = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return nil }
    defer { close(directory) }
    let short = Array("/proc/self/fd/\(directory)/\(path[path.index(after: slash)...])".utf8)
    var address = sockaddr_un()
    guard short.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short) }
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return nil }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, let connection = UnixConnection(adopting: descriptor, loop: loop) else {
      close(descriptor)
      return nil
    }
    return connection
  }
}
