import Ground
import Database
import Lightning

/// Splices, from the step that binds this node to one to the step that ends it. What is half-way is a part of the
/// channel; a row stays when it is over.
enum SpliceTable {
  private static let over = "('done', 'forgotten')"

  static func readPending(_ database: Connection) throws -> PendingSplice? {
    let row = try database.firstRow(
      """
      SELECT state, is_ours, unsigned_transaction, funding_index, amount_sat, fee_sat FROM splices
      WHERE state NOT IN \(over)
      """)
    guard let row else { return nil }
    let word = try row.text(0)
    guard let stage = PendingSplice.Stage.allCases.first(where: { "\($0)" == word }),
      let index = UInt32(exactly: try row.integer(3))
    else { throw LedgerError.unreadable("how far a splice is") }
    return PendingSplice(
      isOurs: try row.integer(1) != 0, stage: stage, transaction: Bytes(try row.blob(2)), fundingIndex: index,
      amountSat: try row.unsigned(4), feeSat: try row.unsigned(5))
  }

  /// Brings the rows to where the channel is.
  static func write(_ record: ChannelRecord, at now: Instant, to database: Connection) throws {
    let at = SQLValue.integer(now.nanoseconds)
    let row = try database.firstRow("SELECT id, txid, funding_index FROM splices WHERE state NOT IN \(over)")
    if let row {
      let known = try outPoint(row, 1)
      if known == record.splice?.funding, let splice = record.splice {
        return try database.execute(
          "UPDATE splices SET state = ? WHERE id = ?",
          [.text("\(splice.stage)"), .integer(try row.integer(0))])
      }
      try database.execute(
        "UPDATE splices SET state = ?, ended_at_ns = ? WHERE id = ?",
        [.text(known == record.funding ? "done" : "forgotten"), at, .integer(try row.integer(0))])
    }
    guard let splice = record.splice else { return }
    try database.execute(
      """
      INSERT INTO splices(txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat,
        unsigned_transaction, begun_at_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(splice.id.hash.bytes), .text("\(splice.stage)"), .integer(splice.isOurs ? 1 : 0),
        .blob(record.funding.transaction.hash.bytes), .integer(Int64(record.funding.index)),
        .integer(Int64(splice.fundingIndex)), try .unsigned(splice.amountSat), try .unsigned(splice.feeSat),
        .blob(splice.transaction.array), at,
      ])
  }

  /// Of a column and the one behind it.
  static func outPoint(_ row: Row, _ column: Int) throws -> OutPoint {
    guard let index = UInt32(exactly: try row.integer(column + 1)) else {
      throw LedgerError.unreadable("an output's place")
    }
    return OutPoint(
      transaction: TransactionID(hash: try ChannelTable.bytes32(row, column)), index: index)
  }
}
