import Crypto
import DaemonRuntime

/// A node id and its address: `NODEID@HOST:PORT`, as in Lightning's tools.
public struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  public let node: PublicKey
  public let place: HostAndPort

  public init(node: PublicKey, place: HostAndPort) {
    self.node = node
    self.place = place
  }

  public init?(_ text: String) {
    guard let typed = NodeAddress(text), let node = PublicKey(hex: typed.id) else { return nil }
    self.init(node: node, place: typed.place)
  }

  /// From lspd's address file.
  public init?(file path: String) {
    guard let bytes = try? SmallFile.readOwn(path, limit: 128) else { return nil }
    self.init(written: bytes)
  }

  public init?(written bytes: [UInt8]) {
    self.init(String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self))
  }

  public var description: String { "\(node)@\(place)" }
}
