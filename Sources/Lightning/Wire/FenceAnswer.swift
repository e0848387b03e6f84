/// What the peer says to a fence: a private odd message behind the wallet's `init`, as its own `init` waits for nothing.
public struct FenceAnswer: Hashable, Codable, Sendable {
  /// Of the range that BOLT 1 leaves for messages of one's own.
  public static let messageType: UInt16 = 0xba71
  /// An older peer says it in its `init`, under this type. The value is `accepted` u8 (0 or 1), `highest` u64, `container` 16 bytes.
  public static let recordType: UInt64 = 0xba70_0003

  public var accepted: Bool
  /// The highest epoch the peer has seen; a refused one jumps above it.
  public var highest: UInt64
  /// The container the peer knows. Another one means that the node is in use by another device.
  public var containerHigh: UInt64
  public var containerLow: UInt64

  public init(accepted: Bool, highest: UInt64, containerHigh: UInt64, containerLow: UInt64) {
    self.accepted = accepted
    self.highest = highest
    self.containerHigh = containerHigh
    self.containerLow = containerLow
  }

  public func isOfSameContainer(as fence: Fence) -> Bool {
    containerHigh == fence.containerHigh && containerLow == fence.containerLow
  }

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 25 else { throw .malformedRecord(FenceAnswer.recordType) }
    let verdict = try reader.u8()
    guard verdict <= 1 else { throw .malformedRecord(FenceAnswer.recordType) }
    accepted = verdict == 1
    highest = try reader.u64()
    containerHigh = try reader.u64()
    containerLow = try reader.u64()
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u8(accepted ? 1 : 0)
    writer.u64(highest)
    writer.u64(containerHigh)
    writer.u64(containerLow)
    return Bytes(writer.bytes)
  }
}
