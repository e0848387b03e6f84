/// BOLT 1 `init`, the first message on a connection from either side.
public struct Greeting: Hashable, Codable, Sendable {
  public var globalFeatures: Bytes
  public var features: Features
  /// From the wallet: under which claim it dials.
  public var fence: Fence?
  /// From the wallet: whose place it takes, if its person has said so.
  public var replaces: ReplacedFence?
  /// From the peer: what it says to that.
  public var fenceAnswer: FenceAnswer?
  /// Records that are none of these.
  public var others: RecordStream

  public init(
    globalFeatures: Bytes = [], features: Features = .withoutSplices, fence: Fence? = nil,
    replaces: ReplacedFence? = nil, fenceAnswer: FenceAnswer? = nil, others: RecordStream = RecordStream()
  ) {
    self.globalFeatures = globalFeatures
    self.features = features
    self.fence = fence
    self.replaces = replaces
    self.fenceAnswer = fenceAnswer
    self.others = others
  }

  /// Both fields of features count as one.
  public var unknownDemand: Int? {
    Features(bytes: globalFeatures).unknownDemand ?? features.unknownDemand
  }

  public var offersSplices: Bool {
    let both = [Features(bytes: globalFeatures), features]
    return [Features.quiesce, Features.splice].allSatisfy { bit in both.contains { $0.offers(bit) } }
  }

  init(reader: inout WireReader) throws(WireError) {
    globalFeatures = try reader.counted()
    features = Features(bytes: try reader.counted())
    others = try reader.records()
    if let record = others[Fence.recordType] { fence = try Fence(record: record) }
    if let record = others[ReplacedFence.recordType] { replaces = try ReplacedFence(record: record) }
    if let record = others[FenceAnswer.recordType] { fenceAnswer = try FenceAnswer(record: record) }
    others.remove(Fence.recordType)
    others.remove(ReplacedFence.recordType)
    others.remove(FenceAnswer.recordType)
  }

  func write(to writer: inout WireWriter) {
    writer.counted(globalFeatures)
    writer.counted(features.bytes)
    var all = others
    all.remove(Fence.recordType)
    all.remove(ReplacedFence.recordType)
    all.remove(FenceAnswer.recordType)
    if let fence { all.set(Fence.recordType, fence.record) }
    if let replaces { all.set(ReplacedFence.recordType, replaces.record) }
    if let fenceAnswer { all.set(FenceAnswer.recordType, fenceAnswer.record) }
    writer.records(all)
  }
}
