/// Which claim of another container the wallet's own is to replace, as its person has said. It travels in `init` beside the
/// fence. It names one claim exactly, so that it counts once, and never again after either container has claimed since.
public struct ReplacedFence: Hashable, Codable, Sendable {
  /// The value is `epoch` u64, `container` 16 bytes.
  public static let recordType: UInt64 = 0xba70_0007

  public var epoch: UInt64
  public var containerHigh: UInt64
  public var containerLow: UInt64

  public init(epoch: UInt64, containerHigh: UInt64, containerLow: UInt64) {
    self.epoch = epoch
    self.containerHigh = containerHigh
    self.containerLow = containerLow
  }

  public func isExactly(_ fence: Fence) -> Bool {
    epoch == fence.epoch && containerHigh == fence.containerHigh && containerLow == fence.containerLow
  }

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 24 else { throw .malformedRecord(ReplacedFence.recordType) }
    epoch = try reader.u64()
    containerHigh = try reader.u64()
    containerLow = try reader.u64()
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u64(epoch)
    writer.u64(containerHigh)
    writer.u64(containerLow)
    return Bytes(writer.bytes)
  }
}
