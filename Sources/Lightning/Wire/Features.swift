import Bitcoin

/// A feature vector: bit 0 is the lowest bit of the last byte. An odd bit offers, an even bit demands.
public struct Features: Hashable, Codable, Sendable {
  public private(set) var bytes: Bytes

  public init(bytes: Bytes = []) { self.bytes = bytes }

  public init(_ bits: [Int]) {
    let size = ((bits.max() ?? -1) + 8) / 8
    var array = [UInt8](repeating: 0, count: size)
    for bit in bits where bit >= 0 { array[size - 1 - bit / 8] |= 1 << UInt8(bit % 8) }
    bytes = Bytes(array)
  }

  public func contains(_ bit: Int) -> Bool {
    guard bit >= 0, bit / 8 < bytes.count else { return false }
    return bytes.array[bytes.count - 1 - bit / 8] & (1 << UInt8(bit % 8)) != 0
  }

  /// Offered or demanded: the even bit and the odd one beside it mean the same feature.
  public func offers(_ feature: Int) -> Bool { contains(feature & ~1) || contains(feature | 1) }

  public static let dataLossProtect = 1
  public static let gossipQueries = 7
  public static let staticRemoteKey = 13
  public static let quiesce = 35
  public static let provideStorage = 43
  public static let splice = 63

  /// By their even bits: what both ends do, what BOLT 9 takes for granted of every node, and what asks nothing of a
  /// connection on which no channel is opened or closed and no onion message is answered.
  private static let understood = [
    0 /* data_loss_protect */, 4 /* upfront_shutdown_script: of closing */, 6 /* gossip_queries */,
    8 /* var_onion_optin */, 10 /* gossip_queries_ex: the answer is that nothing is known */,
    12 /* static_remotekey */, 14 /* payment_secret */, 16 /* basic_mpp */,
    26 /* shutdown_anysegwit: of closing */,
    28 /* dual_fund: of opening */, 34 /* option_quiesce */,
    38 /* onion_messages: 513 is odd, and ignored */,
    42 /* provide_storage */, 44 /* channel_type */, 62, /* option_splice */
  ]

  /// A bit by which the other end demands what is not known here: the connection must end.
  public var unknownDemand: Int? {
    // Byte by byte, as a stranger may set half a million bits.
    for (place, byte) in bytes.array.reversed().enumerated() where byte & 0b0101_0101 != 0 {
      for bit in stride(from: 0, to: 8, by: 2) where byte >> UInt8(bit) & 1 == 1 {
        if !Self.understood.contains(8 * place + bit) { return 8 * place + bit }
      }
    }
    return nil
  }

  private static let splicing = [quiesce, splice]

  /// What the wallet says it can do. It keeps nothing for others: whoever offers that gets their blobs at once.
  public static func ofWallet(splices: Bool) -> Features {
    Features([dataLossProtect, gossipQueries, staticRemoteKey] + (splices ? splicing : []))
  }

  /// What the provider says it can do.
  public static func ofProvider(splices: Bool) -> Features {
    Features([dataLossProtect, gossipQueries, staticRemoteKey, provideStorage] + (splices ? splicing : []))
  }

  /// So many bytes hold every bit that BOLT 9 names, and many more.
  private static let keptBytes = 64

  /// Without bits so high that nobody has a use for them, unless one of those is demanded.
  var kept: Features {
    guard bytes.count > Self.keptBytes else { return self }
    let low = Features(bytes: Bytes(Array(bytes.array.suffix(Self.keptBytes))))
    return low.unknownDemand == unknownDemand ? low : self
  }

  /// Whether somebody who says this goes along with a splice, which needs a channel at rest.
  public var offersSplices: Bool { offers(Self.quiesce) && offers(Self.splice) }
}
