import Platform
import Lightning

// Rows of splices, from the step that binds this side on. A pending splice belongs to the channel; its row stays
// after its end.
extension ChannelTables {
  private static let isPending =
    "state NOT IN (\(SpliceEnd.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"

  func readPendingSplice(_ reader: some RowReader) throws -> PendingSplice? {
    let row = try reader.firstRow(
      """
      SELECT state, is_ours, unsigned_transaction, funding_index, amount_sat, fee_sat FROM splices
      WHERE \(isPendingHere)
      """, numbers)
    return try row.map { row in
      PendingSplice(
        isOurs: try row.integer(1) != 0, stage: try row.named(0), transaction: Bytes(try row.blob(2)),
        fundingIndex: try row.unsigned32(3), amountSat: try row.unsigned(4), feeSat: try row.unsigned(5))
    }
  }

  /// A channel from a backup may lack a splice that an older database has: the end of that splice is lost.
  func writeSplice(
    of record: ChannelRecord, isRestored: Bool, at now: [SQLValue], _ writer: some RowWriter
  ) throws {
    let row = try writer.firstRow(
      "SELECT id, txid, funding_index FROM splices WHERE \(isPendingHere)", numbers)
    if let row {
      let known = try row.outPoint(1)
      if known == record.splice?.funding, let splice = record.splice {
        return try writer.execute(
          "UPDATE splices SET state = ? WHERE id = ?", [.text(splice.stage.storedName), try row.value(0)])
      }
      let end: SpliceEnd = known == record.funding ? .done : isRestored ? .lost : .forgotten
      try writer.execute(
        "UPDATE splices SET state = ?, \(moment.map { "ended_\($0) = ?" }.joined(separator: ", ")) WHERE id = ?",
        [.text(end.rawValue)] + now + [try row.value(0)])
    }
    guard let splice = record.splice else { return }
    try writer.insert(
      into: "splices",
      "txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat, unsigned_transaction, "
        + (moment.map { "begun_\($0)" } + (wallet == nil ? [] : ["wallet"])).joined(separator: ", "),
      [
        .blob(splice.id.hash.bytes), .text(splice.stage.storedName), .integer(splice.isOurs ? 1 : 0),
        .blob(record.funding.transaction.hash.bytes), .integer(Int64(record.funding.index)),
        .integer(Int64(splice.fundingIndex)), try .unsigned(splice.amountSat), try .unsigned(splice.feeSat),
        .blob(splice.transaction.array),
      ] + now + numbers)
  }

  private var isPendingHere: String { Self.isPending + (wallet == nil ? "" : " AND wallet = ?") }
}
