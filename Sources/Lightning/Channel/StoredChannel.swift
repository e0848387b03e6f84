import Crypto
import Ground

/// A channel in an order to store it. A journal has its figures and the hash of the whole alone: the rest follows from
/// the events, and a replay computes it again.
public struct StoredChannel: Hashable, Sendable {
  private struct Figures: Hashable, Codable, Sendable {
    var revision: UInt64
    var localMsat: UInt64
    var remoteMsat: UInt64
    /// How many.
    var htlcs: Int
    var sha256: Bytes32
  }

  /// Nil if this was read from a journal.
  public let channel: Channel?
  private let recorded: Figures?

  public init(_ channel: Channel) {
    self.channel = channel
    recorded = nil
  }
}

extension StoredChannel: Codable {
  public init(from decoder: any Decoder) throws {
    channel = nil
    recorded = try Figures(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    let computed = channel.map {
      Figures(
        revision: $0.revision, localMsat: $0.localMsat, remoteMsat: $0.remoteMsat, htlcs: $0.htlcs.count,
        sha256: SHA256.hash($0.encoded()))
    }
    try (recorded ?? computed).encode(to: encoder)
  }
}
