import Ground

/// BOLT 1 `init`, the first message on a connection from either side.
public struct InitMessage: Hashable, Codable, Sendable {
  public var globalFeatures: Bytes
  public var features: Features
  /// From the wallet: its claim.
  public var fence: Claim?
  /// From the wallet: the claim to replace, if its user has asked for that.
  public var replaces: ReplacedClaim?
  /// The sender's chains, by the hashes of their genesis blocks; nil without the record.
  public var networks: [Bytes32]?
  /// The other records.
  public var others: RecordStream

  public init(
    globalFeatures: Bytes = [], features: Features = .ofProvider(splices: false), fence: Claim? = nil,
    replaces: ReplacedClaim? = nil, networks: [Bytes32]? = [BitcoinNetwork.regtest.chain],
    others: RecordStream = RecordStream()
  ) {
    self.globalFeatures = globalFeatures
    self.features = features
    self.fence = fence
    self.replaces = replaces
    self.networks = networks
    self.others = others
  }

  /// Of both feature fields.
  public var unknownRequiredFeature: Int? {
    Features(bytes: globalFeatures).unknownRequiredFeature ?? features.unknownRequiredFeature
  }

  /// Why the connection must end; nil if the `init` is compatible.
  package var mismatch: String? {
    if let bit = unknownRequiredFeature { return "it requires feature \(bit), which is not supported" }
    guard let networks, !networks.isEmpty, !networks.contains(BitcoinNetwork.regtest.chain) else {
      return nil
    }
    return "its networks do not include regtest"
  }

  public var offersSplices: Bool {
    let both = [Features(bytes: globalFeatures), features]
    return [Features.quiesce, Features.splice].allSatisfy { bit in both.contains { $0.offers(bit) } }
  }

  init(reader: inout WireReader) throws(WireError) {
    globalFeatures = try reader.counted()
    features = Features(bytes: try reader.counted())
    others = try reader.records()
    if let record = others[Claim.recordType] { fence = try Claim(record: record) }
    if let record = others[ReplacedClaim.recordType] { replaces = try ReplacedClaim(record: record) }
    if let record = others[Self.networksRecord] { networks = try Self.networks(record) }
    for type in Self.understood { others.remove(type) }
  }

  private static let networksRecord: UInt64 = 1
  private static let understood = [networksRecord, Claim.recordType, ReplacedClaim.recordType]
  /// More chains than exist.
  static let keptNetworks = 8

  private static func networks(_ record: Bytes) throws(WireError) -> [Bytes32] {
    guard record.count.isMultiple(of: 32) else { throw .malformedRecord(networksRecord) }
    var reader = WireReader(record.array)
    var chains: [Bytes32] = []
    while !reader.isAtEnd { chains.append(try reader.bytes32()) }
    return chains
  }

  func write(to writer: inout WireWriter) {
    writer.counted(globalFeatures)
    writer.counted(features.bytes)
    var all = others
    for type in Self.understood { all.remove(type) }
    if let networks { all.set(Self.networksRecord, Bytes(networks.flatMap(\.bytes))) }
    if let fence { all.set(Claim.recordType, fence.record) }
    if let replaces { all.set(ReplacedClaim.recordType, replaces.record) }
    writer.records(all)
  }
}
