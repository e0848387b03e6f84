/// A server on the loopback address for one client.
final class LoopbackListener {
  private let descriptor: Int32
  let port: UInt16

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 4) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard result else { throw SystemError("listen on loopback") }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }

  func accept() throws -> Connection {
    guard Self.wait(descriptor) else { throw SystemError("wait for a client", code: ETIMEDOUT) }
    return Connection(descriptor: Glibc.accept(descriptor, nil, nil))
  }

  final class Connection {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Whether the other side closes within 60 s.
    func waitForEnd() -> Bool {
      var byte: UInt8 = 0
      return LoopbackListener.wait(descriptor) && recv(descriptor, &byte, 1, 0) == 0
    }
  }

  private static func wait(_ descriptor: Int32) -> Bool {
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&poller, 1, 60_000) == 1
  }
}
