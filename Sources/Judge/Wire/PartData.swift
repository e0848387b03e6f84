/// What a sender says of the payment that an HTLC is a part of: the secret of the invoice, and what all parts come
/// to.
struct PartData: Hashable {
  let secret: [UInt8]
  let totalMsat: UInt64
}

extension PartData {
  /// From the two columns that keep it; nil when both are empty, or the database is older than they are.
  static func read(_ row: SQLiteRow) throws(JudgeError) -> PartData? {
    guard row.names.contains("payment_secret") else { return nil }
    let secret = try row.optionalBlob("payment_secret")
    let total = try row.optionalInteger("total_msat")
    guard secret != nil || total != nil else { return nil }
    return PartData(secret: secret ?? [], totalMsat: UInt64(bitPattern: total ?? 0))
  }
}
