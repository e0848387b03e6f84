import Ground
import Bitcoin

/// What the peer says to a claim: a private odd message behind the wallet's `init`, as its own `init` waits for nothing.
public struct FenceAnswer: Hashable, Codable, Sendable {
  /// Of the range that BOLT 1 leaves for messages of one's own.
  public static let messageType: UInt16 = 0xba71
  /// An older peer says it in its `init`, under this type. The value is `accepted` u8 (0 or 1), `highest` u64, `container` 16 bytes.
  public static let recordType: UInt64 = 0xba70_0003

  public var accepted: Bool
  /// The highest epoch the peer has seen; a refused one jumps above it.
  public var highest: Epoch
  /// The container the peer knows. Another one means that the node is in use by another device.
  public var container: ContainerID

  public init(accepted: Bool, highest: Epoch, container: ContainerID) {
    self.accepted = accepted
    self.highest = highest
    self.container = container
  }

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 25 else { throw .malformedRecord(FenceAnswer.recordType) }
    let verdict = try reader.u8()
    guard verdict <= 1 else { throw .malformedRecord(FenceAnswer.recordType) }
    accepted = verdict == 1
    highest = try reader.u64()
    container = try reader.containerID()
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u8(accepted ? 1 : 0)
    writer.u64(highest)
    writer.containerID(container)
    return Bytes(writer.bytes)
  }
}
