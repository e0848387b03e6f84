import Ground
import Database
import Lightning
import SharedContainer

/// Open HTLCs. A row lives as long as its HTLC is in one of the two commitments.
enum HTLCTable {
  static func read(channel: Bytes32, _ reader: NodeReader) throws -> [HTLC] {
    try reader.rows(
      """
      SELECT id, amount_msat, payment_hash, cltv_expiry, state, removal, preimage, failure_code,
        payment_secret, total_msat
      FROM htlcs WHERE channel = ? ORDER BY direction = 'received', id
      """, [.blob(channel.bytes)]
    ).map(htlc)
  }

  static func removeAll(channel: Bytes32, _ writer: NodeWriter) throws {
    try writer.execute("DELETE FROM htlcs WHERE channel = ?", [.blob(channel.bytes)])
  }

  static func insert(_ htlc: HTLC, channel: Bytes32, _ writer: NodeWriter) throws {
    var removal = SQLValue.null
    var preimage = SQLValue.null
    var failureCode = SQLValue.null
    switch htlc.removal {
    case .fulfilled(let known)?:
      removal = "fulfilled"
      if let known { preimage = .blob(known.bytes) }
    case .failed(let code)?:
      removal = "failed"
      failureCode = .integer(Int64(code))
    case nil: break
    }
    try writer.execute(
      """
      INSERT INTO htlcs (channel, direction, id, amount_msat, payment_hash, cltv_expiry, state, removal,
        preimage, failure_code, payment_secret, total_msat)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(channel.bytes), .text("\(htlc.direction)"), .unsigned(htlc.id), .unsigned(htlc.amountMsat),
        .blob(htlc.paymentHash.bytes), .integer(Int64(htlc.cltvExpiry)), .text("\(htlc.state)"), removal,
        preimage, failureCode, htlc.paymentData.map { .blob($0.secret.bytes) } ?? .null,
        htlc.paymentData.map { .bits($0.totalMsat) } ?? .null,
      ])
  }

  private static func htlc(_ row: Row) throws -> HTLC {
    let name = try row.text(4)
    guard let state = HTLCState.allCases.first(where: { "\($0)" == name }) else {
      throw row.mismatch(4, "the name of an HTLC state")
    }
    guard let expiry = UInt32(exactly: try row.integer(3)) else { throw row.mismatch(3, "a block height") }
    return HTLC(
      id: try row.unsigned(0), amountMsat: try row.unsigned(1), paymentHash: try row.bytes32(2),
      cltvExpiry: expiry, state: state, removal: try removal(row), paymentData: try paymentData(row))
  }

  /// The total is whatever the sender says, so it is kept as its bits.
  private static func paymentData(_ row: Row) throws -> PaymentData? {
    guard try !row.isNull(8) || !row.isNull(9) else { return nil }
    return PaymentData(secret: try row.bytes32(8), totalMsat: try row.bits(9))
  }

  private static func removal(_ row: Row) throws -> HTLCRemoval? {
    switch try row.optionalText(5) {
    case nil: return nil
    case "fulfilled": return .fulfilled(preimage: try row.isNull(6) ? nil : row.bytes32(6))
    case "failed":
      guard let code = UInt16(exactly: try row.integer(7)) else { throw row.mismatch(7, "a failure code") }
      return .failed(code: code)
    default: throw row.mismatch(5, "fulfilled or failed")
    }
  }
}
