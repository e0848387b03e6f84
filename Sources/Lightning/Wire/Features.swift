/// A feature vector: bit 0 is the lowest bit of the last byte. An odd bit is optional, an even bit required.
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

  /// Optional or required: the even bit and the next odd bit are the same feature.
  public func offers(_ feature: Int) -> Bool { contains(feature & ~1) || contains(feature | 1) }

  public static let dataLossProtect = 1
  public static let gossipQueries = 7
  public static let staticRemoteKey = 13
  public static let quiesce = 35
  public static let provideStorage = 43
  public static let splice = 63

  /// The supported features by their even bits: those that both ends implement, those that BOLT 9 assumes of every
  /// node, and those without effect while no channel is opened or closed and no onion message is answered.
  private static let understood = [
    0 /* data_loss_protect */, 4 /* upfront_shutdown_script: of closing */, 6 /* gossip_queries */,
    8 /* var_onion_optin */, 10 /* gossip_queries_ex: answered with no information */,
    12 /* static_remotekey */, 14 /* payment_secret */, 16 /* basic_mpp */,
    26 /* shutdown_anysegwit: of closing */, 28 /* dual_fund: of opening */, 34 /* option_quiesce */,
    38 /* onion_messages: 513 is odd, and ignored */, 42 /* provide_storage */, 44 /* channel_type */,
    62, /* option_splice */
  ]

  /// A required feature that is not supported here: the connection must end.
  public var unknownRequiredFeature: Int? {
    // Byte by byte, as the other end may set half a million bits.
    for (place, byte) in bytes.array.reversed().enumerated() where byte & 0b0101_0101 != 0 {
      for bit in stride(from: 0, to: 8, by: 2) where byte >> UInt8(bit) & 1 == 1 {
        if !Self.understood.contains(8 * place + bit) { return 8 * place + bit }
      }
    }
    return nil
  }

  private static let splicing = [quiesce, splice]

  /// The wallet's features. Without `option_provide_storage`: peers would send backups for the wallet to store.
  public static func ofWallet(splices: Bool) -> Features {
    Features([dataLossProtect, gossipQueries, staticRemoteKey] + (splices ? splicing : []))
  }

  /// The LSP's features.
  public static func ofProvider(splices: Bool) -> Features {
    Features([dataLossProtect, gossipQueries, staticRemoteKey, provideStorage] + (splices ? splicing : []))
  }

  /// Enough bytes for every bit of BOLT 9.
  private static let keptBytes = 64

  /// Without the bits above BOLT 9's, unless one of them is required.
  var kept: Features {
    guard bytes.count > Self.keptBytes else { return self }
    let low = Features(bytes: Bytes(Array(bytes.array.suffix(Self.keptBytes))))
    return low.unknownRequiredFeature == unknownRequiredFeature ? low : self
  }

  /// Whether the node supports splices, which also need `option_quiesce`.
  public var offersSplices: Bool { offers(Self.quiesce) && offers(Self.splice) }
}

extension Features: WireCodable {
  package static var blank: Features { Features() }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&bytes)
  }
}
