import DaemonRuntime

/// An address as a user types it.
enum HostAndPortFuzz: FuzzTarget {
  static let name = "host-and-port"
  static let longestInput = 128

  static var seeds: [[UInt8]] {
    ["127.0.0.1:9735", "[::1]:80", "host:65535", "a:b:1"].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    guard let address = HostAndPort(text(bytes)) else { return }
    promise(HostAndPort(address.description) == address, "an address does not round-trip")
  }
}
