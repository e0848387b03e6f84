import Ground
import Database
import Guardrails
import Lightning
import SharedContainer

/// Splices, from the step that binds the wallet to one to the step that ends it. What is half-way is a part of the
/// channel; a row stays when it is over.
enum SpliceTable {
  private static let over = "('done', 'forgotten', 'lost')"

  static func readPending(_ reader: NodeReader) throws -> PendingSplice? {
    let row = try reader.firstRow(
      """
      SELECT state, is_ours, unsigned_transaction, funding_index, amount_sat, fee_sat FROM splices
      WHERE state NOT IN \(over)
      """)
    guard let row else { return nil }
    let word = try row.text(0)
    guard let stage = PendingSplice.Stage.allCases.first(where: { "\($0)" == word }),
      let index = UInt32(exactly: try row.integer(3))
    else { throw row.mismatch(0, "how far a splice is") }
    return PendingSplice(
      isOurs: try row.integer(1) != 0, stage: stage, transaction: Bytes(try row.blob(2)), fundingIndex: index,
      amountSat: try row.unsigned(4), feeSat: try row.unsigned(5))
  }

  /// Brings the rows to where the channel is. A channel from a backup may have gone on without a splice that an older
  /// database knows, and says nothing of how that ended.
  static func write(
    _ record: ChannelRecord, isRestored: Bool, epoch: Epoch, wallClockNanoseconds: Int64, _ writer: NodeWriter
  ) throws {
    let row = try writer.rows("SELECT id, txid, funding_index FROM splices WHERE state NOT IN \(over)").first
    if let row {
      let known = try row.outPoint(1)
      if known == record.splice?.funding, let splice = record.splice {
        return try writer.execute(
          "UPDATE splices SET state = ? WHERE id = ?",
          [.text("\(splice.stage)"), .integer(try row.integer(0))])
      }
      let end = known == record.funding ? "done" : isRestored ? "lost" : "forgotten"
      try writer.execute(
        "UPDATE splices SET state = ?, ended_epoch = ?, ended_wall_ns = ? WHERE id = ?",
        [.text(end), try .unsigned(epoch), .integer(wallClockNanoseconds), .integer(try row.integer(0))])
    }
    guard let splice = record.splice else { return }
    try writer.execute(
      """
      INSERT INTO splices (txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat,
        unsigned_transaction, begun_epoch, begun_wall_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .blob(splice.id.hash.bytes), .text("\(splice.stage)"), .integer(splice.isOurs ? 1 : 0),
        .blob(record.funding.transaction.hash.bytes), .integer(Int64(record.funding.index)),
        .integer(Int64(splice.fundingIndex)), try .unsigned(splice.amountSat), try .unsigned(splice.feeSat),
        .blob(splice.transaction.array), try .unsigned(epoch), .integer(wallClockNanoseconds),
      ])
  }
}
