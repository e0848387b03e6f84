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
    var socketAddress = try TCPSocket.address(of: peer.place)
    let descriptor = try TCPSocket.make()
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
