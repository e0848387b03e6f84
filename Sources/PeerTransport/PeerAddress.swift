import Crypto
import DaemonRuntime

/// Whom to dial, and where: `NODEID@HOST:PORT`, as Lightning's tools write it.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  public let node: PublicKey
  public let place: HostAndPort

  public init(node: PublicKey, place: HostAndPort) {
    self.node = node
    self.place = place
  }

  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let node = PublicKey(hex: String(parts[0])),
      let place = HostAndPort(String(parts[1]))
    else { return nil }
    self.init(node: node, place: place)
  }

  public var description: String { "\(node)@\(place)" }
}
