import Ground

/// BOLT 1 `init`, the first message on a connection from either side.
public struct InitMessage: Hashable, Codable, Sendable, WireCodable {
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

  private static let networksRecord: UInt64 = 1
  /// More chains than exist.
  static let keptNetworks = 8

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

  package static var blank: InitMessage { InitMessage() }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&globalFeatures, &features)
    var chains = networks.map(Chains.init)
    try coder.record(Self.networksRecord, &chains)
    networks = chains?.hashes
    try coder.record(Claim.recordType, &fence)
    try coder.record(ReplacedClaim.recordType, &replaces)
    try coder.records(&others)
  }

  private struct Chains: WireCodable {
    var hashes: [Bytes32]

    static var blank: Chains { Chains(hashes: []) }
    mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
      var bytes = Bytes(hashes.flatMap(\.bytes))
      try coder.rest(&bytes)
      try coder.require(bytes.count.isMultiple(of: Bytes32.size))
      hashes = stride(from: 0, to: bytes.count, by: Bytes32.size).compactMap {
        Bytes32(bytes.array[$0..<$0 + Bytes32.size])
      }
    }
  }
}

// The fence: the wallet process's claim, in `init` as a private odd record, so that a peer that does not know fences
// ignores it.
extension Claim: WireCodable {
  /// Odd, above 65536 and outside every range that the BOLTs assign.
  public static let recordType: UInt64 = 0xba70_0001

  package static var blank: Claim { Claim(epoch: 0, incarnation: 0, container: .blank) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&epoch)
    try coder.field(&incarnation)
    try coder.field(&container)
  }
}

// The claim of another container that the wallet's claim replaces at its user's request, in `init` next to the
// fence. It names one claim exactly, so that it is used once, and not after either container has claimed again.
extension ReplacedClaim: WireCodable {
  public static let recordType: UInt64 = 0xba70_0007

  package static var blank: ReplacedClaim { ReplacedClaim(epoch: 0, container: .blank) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&epoch)
    try coder.field(&container)
  }
}

/// The LSP's answer to a fence: a private odd message after the wallet's `init`, as the LSP's own `init` is sent
/// before that.
public struct FenceAnswer: Hashable, Codable, Sendable, WireCodable {
  /// In BOLT 1's range for custom messages.
  public static let messageType: UInt16 = 0xba71

  public var accepted: Bool
  /// The highest epoch that the LSP has stored; a refused wallet claims above it.
  public var highest: Epoch
  /// The container that the LSP has stored. If it differs, another device uses the node.
  public var container: ContainerID

  public init(accepted: Bool, highest: Epoch, container: ContainerID) {
    self.accepted = accepted
    self.highest = highest
    self.container = container
  }

  package static var blank: FenceAnswer { FenceAnswer(accepted: false, highest: 0, container: .blank) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&accepted, &highest, &container)
  }
}

/// BOLT 1 `error` and `warning`: text about one channel, or about all (channel zero).
public struct ErrorOrWarning: Hashable, Codable, Sendable, WireCodable {
  /// The reason, where a program needs it: a private odd record.
  public enum Code: UInt8, Hashable, Codable, Sendable {
    /// The LSP's time limit for a quiescent channel is over.
    case quiescenceTimeout = 1
  }

  public static let codeRecord: UInt64 = 0xba70_0009

  public var channel: Bytes32
  public var data: Bytes
  public var code: Code?

  public init(channel: Bytes32 = .zero, data: Bytes, code: Code? = nil) {
    self.channel = channel
    self.data = data
    self.code = code
  }

  public init(channel: Bytes32 = .zero, text: String, code: Code? = nil) {
    self.init(channel: channel, data: Bytes(Array(text.utf8)), code: code)
  }

  /// The data as text for terminals and logs: each byte that is not printable ASCII becomes a dot.
  public var text: String {
    String(decoding: data.array.map { (32...126).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
  }

  package static var blank: ErrorOrWarning { ErrorOrWarning(data: []) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&channel, &data)
    var value = code.map { Payload(bytes: [$0.rawValue]) }
    try coder.record(Self.codeRecord, &value)
    // An unknown code of a later version is ignored.
    code = value.flatMap { $0.bytes.count == 1 ? Code(rawValue: $0.bytes.array[0]) : nil }
    try coder.ignoreRecords()
  }

}

/// BOLT 1 `ping`: asks for a `pong` of a given length.
public struct Ping: Hashable, Codable, Sendable, WireCodable {
  /// From this number on no `pong` is sent.
  public static let noAnswerFrom: UInt16 = 65532

  public var pongSize: UInt16
  public var ignored: Bytes

  public init(pongSize: UInt16, ignored: Bytes = []) {
    self.pongSize = pongSize
    self.ignored = ignored
  }

  /// The `pong`; nil if none is due.
  public var answer: Message? {
    pongSize < Ping.noAnswerFrom ? .pong(Bytes(repeating: 0, count: Int(pongSize))) : nil
  }

  package static var blank: Ping { Ping(pongSize: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fields(&pongSize, &ignored)
    try coder.ignoreRecords()
  }
}
