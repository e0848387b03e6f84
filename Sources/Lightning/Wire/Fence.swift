/// Who speaks for the wallet: the claim under which this connection was dialled. It travels in `init` as a private
/// odd record, so that a peer that does not know epochs ignores it.
public struct Fence: Hashable, Codable, Sendable {
  /// Odd, above 65536 and outside every range that the BOLTs hand out. The value is `epoch` u64, `incarnation`
  /// u64, `container` 16 bytes.
  public static let recordType: UInt64 = 0xba70_0001

  public var epoch: UInt64
  public var incarnation: UInt64
  public var containerHigh: UInt64
  public var containerLow: UInt64

  public init(epoch: UInt64, incarnation: UInt64, containerHigh: UInt64, containerLow: UInt64) {
    self.epoch = epoch
    self.incarnation = incarnation
    self.containerHigh = containerHigh
    self.containerLow = containerLow
  }

  public func isOfSameContainer(as other: Fence) -> Bool {
    containerHigh == other.containerHigh && containerLow == other.containerLow
  }

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 32 else { throw .malformedRecord(Fence.recordType) }
    epoch = try reader.u64()
    incarnation = try reader.u64()
    containerHigh = try reader.u64()
    containerLow = try reader.u64()
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u64(epoch)
    writer.u64(incarnation)
    writer.u64(containerHigh)
    writer.u64(containerLow)
    return Bytes(writer.bytes)
  }
}
