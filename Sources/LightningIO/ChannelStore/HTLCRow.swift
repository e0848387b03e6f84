import Platform
import Ground
import Lightning

/// The columns of an HTLC that both sides have.
enum HTLCRow {
  static let columns = """
    direction, id, amount_msat, payment_hash, cltv_expiry, state, removal, preimage, failure_code, \
    payment_secret, total_msat
    """

  static func values(of htlc: HTLC) throws -> [SQLValue] {
    [
      .text(htlc.direction.storedName), try .unsigned(htlc.id), try .unsigned(htlc.amountMsat),
      .blob(htlc.paymentHash.bytes), .integer(Int64(htlc.cltvExpiry)), .text(htlc.state.storedName),
    ] + values(of: htlc.removal) + SQLValue.columns(of: htlc.paymentData)
  }

  static func read(_ row: Row) throws -> HTLC {
    HTLC(
      id: try row.unsigned(1), amountMsat: try row.unsigned(2), paymentHash: try row.bytes32(3),
      cltvExpiry: try row.unsigned32(4), state: try row.named(5), removal: try removal(row),
      paymentData: try row.paymentData(9))
  }

  private static func values(of removal: HTLCRemoval?) -> [SQLValue] {
    switch removal {
    case nil: [.null, .null, .null]
    case .fulfilled(let preimage): ["fulfilled", preimage.map { .blob($0.bytes) } ?? .null, .null]
    case .failed(let code): ["failed", .null, .integer(Int64(code))]
    }
  }

  private static func removal(_ row: Row) throws -> HTLCRemoval? {
    switch try row.optionalText(6) {
    case nil: return nil
    case "fulfilled": return .fulfilled(preimage: try row.isNull(7) ? nil : row.bytes32(7))
    case "failed":
      guard let code = UInt16(exactly: try row.integer(8)) else { throw row.mismatch(8, "a failure code") }
      return .failed(code: code)
    default: throw row.mismatch(6, "fulfilled or failed")
    }
  }
}
