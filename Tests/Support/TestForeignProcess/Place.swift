import CLinux
import DaemonRuntime
import Glibc
import Platform

/// The address to connect to.
enum Place {
  case peer(sockaddr_in)
  /// Relative to the working directory, as the kernel takes 107 bytes at most.
  case socket(String)

  init?(_ text: String) {
    // The node id before the @ is not needed.
    if let address = HostAndPort(text.split(separator: "@").last.map(String.init) ?? text) {
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = address.port.bigEndian
      inet_pton(AF_INET, address.host, &place.sin_addr)
      self = .peer(place)
      return
    }
    let parts = text.split(separator: "/")
    guard let name = parts.last, chdir("/\(parts.dropLast().joined(separator: "/"))") == 0 else { return nil }
    self = .socket(String(name))
  }

  /// A connected descriptor, or -1 with errno. Waits while the listener's queue is full.
  func connect() -> Int32 {
    switch self {
    case .peer(var place):
      let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      if descriptor < 0 { return -1 }
      return opened(descriptor, Kernel.withSocketAddress(&place) { Glibc.connect(descriptor, $0, $1) })
    case .socket(let path):
      let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
      if descriptor < 0 { return -1 }
      return opened(
        descriptor, Kernel.withUnixAddress(path) { Glibc.connect(descriptor, $0, $1) })
    }
  }

  private func opened(_ descriptor: Int32, _ result: Int32) -> Int32 {
    if result == 0 { return descriptor }
    let code = errno
    close(descriptor)
    errno = code
    return -1
  }
}
