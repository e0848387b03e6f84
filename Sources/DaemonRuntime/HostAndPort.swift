import Glibc

/// An address as people type it: four numbers and a port. Names are not looked up, as that would block the loop, so
/// what is accepted here can be dialled as it is.
public struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
  public let host: String
  public let port: UInt16

  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[1]), parts[1].utf8.first != UInt8(ascii: "+") else {
      return nil
    }
    var address = in_addr()
    guard inet_pton(AF_INET, String(parts[0]), &address) == 1 else { return nil }
    host = String(parts[0])
    self.port = port
  }

  public var description: String { "\(host):\(port)" }
}
