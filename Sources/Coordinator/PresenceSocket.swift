import Ground
import Guardrails
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Carries presence messages as datagrams between two sockets in the container. It may lose them: their content is
/// also state in the container that is read again.
final class PresenceSocket {
  let descriptor: Int32
  private let partner: sockaddr_un
  /// A flood of messages must not block this process.
  private static let mostAtOnce = 32

  init?(directory: String, role: Role) {
    guard let own = Self.address(of: role, in: directory),
      let partner = Self.address(of: role.other, in: directory)
    else { return nil }
    let descriptor = Kernel.datagramSocket()
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    self.partner = partner
    // Left by an earlier process.
    unlink(Self.path(of: role, in: directory))
    guard Self.with(own, { bind(descriptor, $0, $1) }) == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The other process may not be running, which is no error.
  func send(_ bytes: [UInt8]) {
    _ = Self.with(partner) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
  }

  func received() -> [[UInt8]] {
    var messages: [[UInt8]] = []
    // One byte more than a message, to detect a longer one.
    var buffer = [UInt8](repeating: 0, count: PresenceMessage.size + 1)
    while messages.count < Self.mostAtOnce {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { break }
      messages.append(Array(buffer.prefix(count)))
    }
    return messages
  }

  private static func path(of role: Role, in directory: String) -> String {
    "\(directory)/\(role.rawValue).dgram"
  }

  /// nil for a path that is too long.
  private static func address(of role: Role, in directory: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(path(of: role, in: directory).utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.count < place.count else { return false }
      place.copyBytes(from: path)
      return true
    }
    return fits ? address : nil
  }

  private static func with<Result>(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
