import Glibc
import Platform

/// IPv4 sockets that do not block.
package enum TCPSocket {
  /// With a full queue the kernel drops a client's SYN, which is sent again only after a second. A thousand
  /// connections are accepted and closed within some 50 ms.
  private static let backlog: Int32 = 4096

  package static func make() throws(SystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    if descriptor < 0 { throw SystemError("create a socket") }
    sendAtOnce(descriptor)
    return descriptor
  }

  /// Messages are small and go both ways: without this each exchange waits for delayed acknowledgements.
  package static func sendAtOnce(_ descriptor: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The other end's address in network byte order; 0 if it has disconnected already.
  package static func source(of descriptor: Int32) -> UInt32 {
    var address = sockaddr_in()
    let result = Kernel.withSocketAddress(&address) { getpeername(descriptor, $0, &$1) }
    return result == 0 ? address.sin_addr.s_addr : 0
  }

  package static func address(of place: HostAndPort) throws(SystemError) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = place.port.bigEndian
    guard inet_pton(AF_INET, place.host, &address.sin_addr) == 1 else {
      throw SystemError("use the address \(place)", code: EINVAL)
    }
    return address
  }

  /// Port 0: any free one, which the result has.
  package static func listen(
    on wanted: HostAndPort
  ) throws(SystemError) -> (descriptor: Int32, address: HostAndPort) {
    var place = try address(of: wanted)
    let descriptor = try make()
    var on: Int32 = 1
    // A restarted program may listen again on a port with connections in TIME_WAIT.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    let code = Kernel.withSocketAddress(&place) { pointer, size in
      bind(descriptor, pointer, size) == 0 && Glibc.listen(descriptor, backlog) == 0
        && getsockname(descriptor, pointer, &size) == 0 ? 0 : errno
    }
    guard code == 0, let bound = HostAndPort("\(wanted.host):\(UInt16(bigEndian: place.sin_port))") else {
      close(descriptor)
      throw SystemError("listen on \(wanted)", code: code == 0 ? EINVAL : code)
    }
    return (descriptor, bound)
  }
}
