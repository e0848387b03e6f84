import Ground
import Bitcoin

// Which claim of another container the wallet's own is to replace, as its user has said. It travels in `init` beside the
// claim. It names one claim exactly, so that it counts once, and never again after either container has claimed since.
extension ReplacedClaim {
  /// The value is `epoch` u64, `container` 16 bytes.
  public static let recordType: UInt64 = 0xba70_0007

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 24 else { throw .malformedRecord(ReplacedClaim.recordType) }
    self.init(epoch: try reader.u64(), container: try reader.containerID())
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u64(epoch)
    writer.containerID(container)
    return Bytes(writer.bytes)
  }
}
