import Ground
import Database
import Lightning

/// The one channel, in plain columns.
enum ChannelTable {
  static func write(_ record: ChannelRecord, to database: Connection) throws {
    try database.execute(
      "INSERT OR REPLACE INTO channel VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(record.id.bytes), .integer(record.isOpener ? 1 : 0), try .unsigned(record.localMsat),
        try .unsigned(record.remoteMsat), try .unsigned(record.localCommitmentNumber),
        try .unsigned(record.remoteCommitmentNumber), try .unsigned(record.revocationsSent),
        try .unsigned(record.revocationsReceived), .blob(record.lastReceivedSecret.bytes),
        try .unsigned(record.nextOfferedID), try .unsigned(record.nextReceivedID),
        .integer(record.sentRevocationLast ? 1 : 0), try .unsigned(record.revision),
        record.splicedTo.map { .blob($0.transaction.hash.bytes) } ?? .null,
        record.splicedTo.map { .integer(Int64($0.index)) } ?? .null,
      ])
    try database.execute("DELETE FROM htlcs")
    for htlc in record.htlcs { try write(htlc, to: database) }
  }

  private static func write(_ htlc: HTLC, to database: Connection) throws {
    var removal = SQLValue.null
    var preimage = SQLValue.null
    var code = SQLValue.null
    switch htlc.removal {
    case nil: break
    case .fulfilled(let known):
      removal = "fulfilled"
      preimage = known.map { .blob($0.bytes) } ?? .null
    case .failed(let failure):
      removal = "failed"
      code = .integer(Int64(failure))
    }
    try database.execute(
      "INSERT INTO htlcs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text("\(htlc.direction)"), try .unsigned(htlc.id), try .unsigned(htlc.amountMsat),
        .blob(htlc.paymentHash.bytes), .integer(Int64(htlc.cltvExpiry)), .text("\(htlc.state)"), removal,
        preimage, code,
      ] + values(of: htlc.paymentData))
  }

  /// The total is whatever the sender says, so it is kept as its bits.
  static func values(of data: PaymentData?) -> [SQLValue] {
    guard let data else { return [.null, .null] }
    return [.blob(data.secret.bytes), .bits(data.totalMsat)]
  }

  static func paymentData(_ row: Row, _ secret: Int, _ total: Int) throws -> PaymentData? {
    guard try !row.isNull(secret) || !row.isNull(total) else { return nil }
    return PaymentData(secret: try bytes32(row, secret), totalMsat: try row.bits(total))
  }

  static func read(_ database: Connection) throws -> ChannelRecord? {
    guard let row = try database.firstRow("SELECT * FROM channel") else { return nil }
    var record = ChannelRecord(
      id: try bytes32(row, 1), isOpener: try row.integer(2) == 1, localMsat: try row.unsigned(3),
      remoteMsat: try row.unsigned(4))
    record.localCommitmentNumber = try row.unsigned(5)
    record.remoteCommitmentNumber = try row.unsigned(6)
    record.revocationsSent = try row.unsigned(7)
    record.revocationsReceived = try row.unsigned(8)
    record.lastReceivedSecret = try bytes32(row, 9)
    record.nextOfferedID = try row.unsigned(10)
    record.nextReceivedID = try row.unsigned(11)
    record.sentRevocationLast = try row.integer(12) == 1
    record.revision = try row.unsigned(13)
    if try !row.isNull(14) { record.splicedTo = try SpliceTable.outPoint(row, 14) }
    record.splice = try SpliceTable.readPending(database)
    // 'offered' sorts before 'received': the channel's own order.
    record.htlcs = try database.rows("SELECT * FROM htlcs ORDER BY direction, id").map(htlc)
    return record
  }

  private static func htlc(_ row: Row) throws -> HTLC {
    let name = try row.text(5)
    guard let state = HTLCState.allCases.first(where: { "\($0)" == name }),
      let expiry = UInt32(exactly: try row.integer(4))
    else { throw LedgerError.unreadable("an HTLC's state or expiry") }
    return HTLC(
      id: try row.unsigned(1), amountMsat: try row.unsigned(2), paymentHash: try bytes32(row, 3),
      cltvExpiry: expiry, state: state, removal: try removal(row),
      paymentData: try paymentData(row, 9, 10))
  }

  private static func removal(_ row: Row) throws -> HTLCRemoval? {
    switch try row.optionalText(6) {
    case nil: return nil
    case "fulfilled": return .fulfilled(preimage: try row.isNull(7) ? nil : bytes32(row, 7))
    case "failed":
      guard let code = UInt16(exactly: try row.integer(8)) else {
        throw LedgerError.unreadable("an HTLC's failure code")
      }
      return .failed(code: code)
    default: throw LedgerError.unreadable("an HTLC's removal")
    }
  }

  static func bytes32(_ row: Row, _ column: Int) throws -> Bytes32 {
    guard let value = Bytes32(try row.blob(column)) else { throw row.mismatch(column, "32 bytes") }
    return value
  }
}
