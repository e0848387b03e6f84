import Crypto

/// The copy of the state that the peer keeps for us (`peer_storage`), before it is sealed.
public struct NodeBackup: Hashable, Codable, Sendable {
  public var channel: Channel
  public var invoices: [Invoice]

  public static let version: UInt8 = 1

  public init(channel: Channel, invoices: [Invoice]) {
    self.channel = channel
    self.invoices = invoices
  }
}
