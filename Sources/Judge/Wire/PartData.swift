/// `payment_data` of an HTLC: the invoice's payment secret, and the total of all parts.
struct PartData: Hashable {
  let secret: [UInt8]
  let totalMsat: UInt64
}

extension PartData {
  /// From the two columns; nil if both are empty.
  static func read(_ row: SQLiteRow) throws(JudgeError) -> PartData? {
    let secret = try row.optionalBlob("payment_secret")
    let total = try row.optionalInteger("total_msat")
    guard secret != nil || total != nil else { return nil }
    return PartData(secret: secret ?? [], totalMsat: UInt64(bitPattern: total ?? 0))
  }
}
