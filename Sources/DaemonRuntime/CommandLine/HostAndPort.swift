import Glibc

/// An IPv4 address and port as typed. Names are not accepted, as a lookup would block the loop.
public struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
  /// Reached only from this machine.
  public static let loopback = "127.0.0.1"

  /// The names by which programs of this machine reach a port of the loopback address, as in HTTP's Host header.
  public static func localNames(port: UInt16) -> [String] { ["\(loopback):\(port)", "localhost:\(port)"] }

  public let host: String
  public let port: UInt16

  /// On this machine; port 0: any free one.
  public init(loopback port: UInt16) {
    host = Self.loopback
    self.port = port
  }

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

  public var isLoopback: Bool { host.hasPrefix("127.") }

  public var description: String { "\(host):\(port)" }
}
