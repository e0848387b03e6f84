import Ground

/// The LSP's answer to a fence: a private odd message after the wallet's `init`, as the LSP's own `init` is sent
/// before that. `accepted` u8 (0 or 1), `highest` u64, `container` 16 bytes.
public struct FenceAnswer: Hashable, Codable, Sendable {
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

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 25 else { throw .malformedRecord(UInt64(FenceAnswer.messageType)) }
    let verdict = try reader.u8()
    guard verdict <= 1 else { throw .malformedRecord(UInt64(FenceAnswer.messageType)) }
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
