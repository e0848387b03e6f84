import Ground

/// BOLT 4 `payment_data`: the payment that a part belongs to, and the total of all parts.
///
/// BOLT 4 puts it into the onion's payload for the recipient. There is no onion here, so `update_add_htlc` has it in
/// a private odd record, which other software ignores.
public struct PaymentData: Hashable, Codable, Sendable {
  /// The value is as in BOLT 4: `payment_secret` 32 bytes, `total_msat` tu64.
  public static let recordType: UInt64 = 0xba70_0005

  /// The invoice's payment secret: it proves that the sender has the invoice, not only the payment hash.
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
