import Ground
import Bitcoin

/// BOLT 4 `payment_data`: which payment a part belongs to, and how much all of its parts come to.
///
/// Its place is the onion's payload for the recipient. There is no onion here, so it travels in `update_add_htlc` as a
/// private odd record, and a peer that does not know it ignores it.
public struct PaymentData: Hashable, Codable, Sendable {
  /// The value is as in BOLT 4: `payment_secret` 32 bytes, `total_msat` tu64.
  public static let recordType: UInt64 = 0xba70_0005

  /// Of the invoice: whoever shows it has seen the invoice, and not only the hash on its way.
  public var secret: Bytes32
  public var totalMsat: UInt64

  public init(secret: Bytes32, totalMsat: UInt64) {
    self.secret = secret
    self.totalMsat = totalMsat
  }

  init(record: Bytes) throws(WireError) {
    var reader = WireReader(record.array)
    do throws(WireError) {
      secret = try reader.bytes32()
      totalMsat = try reader.truncatedU64()
    } catch { throw .malformedRecord(PaymentData.recordType) }
  }

  var record: Bytes {
    var writer = WireWriter()
    writer.put(secret)
    writer.truncatedU64(totalMsat)
    return Bytes(writer.bytes)
  }
}
