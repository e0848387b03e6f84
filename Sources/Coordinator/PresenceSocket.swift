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
  private let partner: String
  /// A flood of messages must not block this process.
  private static let mostAtOnce = 32

  init?(directory: String, role: Role) {
    let own = Self.path(of: role, in: directory)
    partner = Self.path(of: role.other, in: directory)
    guard Kernel.withUnixAddress(partner, { _, _ in 0 }) == 0 else { return nil }
    let descriptor = Kernel.datagramSocket()
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    // Left by an earlier process.
    unlink(own)
    guard Kernel.withUnixAddress(own, { bind(descriptor, $0, $1) }) == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The other process may not be running, which is no error.
  func send(_ bytes: [UInt8]) {
    _ = Kernel.withUnixAddress(partner) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
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
}
