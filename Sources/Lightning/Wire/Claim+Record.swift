import Ground

// The fence: the wallet process's claim, in `init` as a private odd record, so that a peer that does not know fences
// ignores it.
extension Claim {
  /// Odd, above 65536 and outside every range that the BOLTs assign. The value is `epoch` u64, `incarnation` u64,
  /// `container` 16 bytes.
  public static let recordType: UInt64 = 0xba70_0001

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    guard record.count == 32 else { throw .malformedRecord(Claim.recordType) }
    self.init(
      epoch: try reader.u64(), incarnation: try reader.u64(), container: try reader.containerID())
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.u64(epoch)
    writer.u64(incarnation)
    writer.containerID(container)
    return Bytes(writer.bytes)
  }
}
