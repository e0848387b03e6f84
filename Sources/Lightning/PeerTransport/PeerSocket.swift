import Ground
import Crypto
import DaemonRuntime
import Glibc

extension PeerConnection {
  /// Begins to dial without blocking; `onConnected` or `onEnd` reports the result. The caller sets the time limit.
  public static func dial(
    _ peer: PeerAddress, as key: PrivateKey, loop: EventLoop
  ) throws(SystemError) -> PeerConnection {
    let ephemeral = try PrivateKey.ephemeral()
    var socketAddress = try PeerSocket.address(of: peer.place)
    let descriptor = try PeerSocket.make()
    let result = withUnsafePointer(to: &socketAddress) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 && errno != EINPROGRESS {
      let error = SystemError("reach the peer at \(peer.place)")
      close(descriptor)
      throw error
    }
    return PeerConnection(dialling: descriptor, peer.node, as: key, ephemeral: ephemeral, loop: loop)
  }
}

extension PrivateKey {
  /// A new key for each connection.
  static func ephemeral() throws(SystemError) -> PrivateKey {
    guard let key = Bytes32(randomBytes(Bytes32.size)).flatMap({ PrivateKey($0) }) else {
      throw SystemError("draw a key", code: EAGAIN)
    }
    return key
  }
}

enum PeerSocket {
  /// With a full queue the kernel drops the wallet's SYN, which is sent again only after a second. A thousand
  /// connections are accepted and closed within some 50 ms.
  private static let backlog: Int32 = 4096

  static func make() throws(SystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    if descriptor < 0 { throw SystemError("create a socket") }
    sendAtOnce(descriptor)
    return descriptor
  }

  /// Messages are small and go both ways: without this each exchange waits for delayed acknowledgements.
  static func sendAtOnce(_ descriptor: Int32) {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The other end's address in network byte order; 0 if it has disconnected already.
  static func source(of descriptor: Int32) -> UInt32 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    return result == 0 ? address.sin_addr.s_addr : 0
  }

  static func address(of place: HostAndPort) throws(SystemError) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = place.port.bigEndian
    guard inet_pton(AF_INET, place.host, &address.sin_addr) == 1 else {
      throw SystemError("use the address \(place)", code: EINVAL)
    }
    return address
  }

  static func listen(_ descriptor: Int32, on wanted: HostAndPort) throws(SystemError) -> HostAndPort {
    var on: Int32 = 1
    // A restarted lspd may listen again on a port with connections in TIME_WAIT.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = try address(of: wanted)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code: Int32 = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0
          && getsockname(descriptor, $0, &size) == 0 ? 0 : errno
      }
    }
    if code != 0 { throw SystemError("listen on \(wanted)", code: code) }
    guard let bound = HostAndPort("\(wanted.host):\(UInt16(bigEndian: address.sin_port))") else {
      throw SystemError("listen on \(wanted)", code: EINVAL)
    }
    return bound
  }
}
