import Ground

// The claim of another container that the wallet's claim replaces at its user's request, in `init` next to the
// fence. It names one claim exactly, so that it is used once, and not after either container has claimed again.
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
