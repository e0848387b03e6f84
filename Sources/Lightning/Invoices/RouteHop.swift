import Crypto

/// One hop of a route hint.
public struct RouteHop: Hashable, Sendable {
  /// The node at the channel's start.
  public var node: PublicKey
  public var channel: ShortChannelID
  public var baseFeeMsat: UInt32
  /// Per million forwarded.
  public var feeMillionths: UInt32
  public var expiryDelta: UInt16

  static let size = PublicKey.size + 8 + 4 + 4 + 2

  public init(
    node: PublicKey, channel: ShortChannelID, baseFeeMsat: UInt32 = 0, feeMillionths: UInt32 = 0,
    expiryDelta: UInt16
  ) {
    self.node = node
    self.channel = channel
    self.baseFeeMsat = baseFeeMsat
    self.feeMillionths = feeMillionths
    self.expiryDelta = expiryDelta
  }

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.put(node.bytes)
    writer.u64(channel.number)
    writer.u32(baseFeeMsat)
    writer.u32(feeMillionths)
    writer.u16(expiryDelta)
    return writer.bytes
  }

  /// Nil unless these are the bytes of one hop with a valid node id.
  init?(_ bytes: [UInt8]) {
    var reader = WireReader(bytes)
    guard let node = (try? reader.take(PublicKey.size)).flatMap({ PublicKey($0) }),
      let channel = try? reader.u64(), let base = try? reader.u32(), let share = try? reader.u32(),
      let delta = try? reader.u16(), reader.isAtEnd
    else { return nil }
    self.init(
      node: node, channel: ShortChannelID(channel), baseFeeMsat: base, feeMillionths: share,
      expiryDelta: delta)
  }
}
