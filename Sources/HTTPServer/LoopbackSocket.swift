import DaemonRuntime
import Glibc

/// Sockets that only programs of this machine reach.
enum LoopbackSocket {
  private static let host = HostAndPort.loopback
  private static let backlog: Int32 = 4096

  static func listen(on wanted: HostAndPort) throws(SystemError) -> (descriptor: Int32, address: HostAndPort)
  {
    guard wanted.host == host else { throw SystemError("listen on \(wanted)", code: EADDRNOTAVAIL) }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    if descriptor < 0 { throw SystemError("create a socket") }
    var on: Int32 = 1
    // A restarted program may listen again on a port with connections in TIME_WAIT.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var place = address(of: wanted)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code: Int32 = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0
          && getsockname(descriptor, $0, &size) == 0 ? 0 : errno
      }
    }
    guard code == 0, let bound = HostAndPort("\(host):\(UInt16(bigEndian: place.sin_port))") else {
      close(descriptor)
      throw SystemError("listen on \(wanted)", code: code == 0 ? EINVAL : code)
    }
    return (descriptor, bound)
  }

  static func address(of place: HostAndPort) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = place.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// What the client has sent so far is read first: with unread bytes the kernel would reset the connection, and the
  /// client might never see the answer.
  static func say(_ response: HTTPResponse, to descriptor: Int32) {
    var heard = [UInt8](repeating: 0, count: 16 * 1024)
    // A client that goes on writing must not hold up the loop.
    for _ in 0..<16 where recv(descriptor, &heard, heard.count, Int32(MSG_DONTWAIT)) < heard.count { break }
    let bytes = response.bytes
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
  }

  /// The process's limit.
  static var descriptorsMax: Int32 {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int32(clamping: limit.rlim_cur)
  }
}
