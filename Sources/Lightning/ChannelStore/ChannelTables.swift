// ChannelStore: the channel, its HTLCs and its splices as rows, in the wallet's container and in the LSP's ledger.

import Database
import Ground
import LightningChannel

/// The tables of a side's one channel. Both sides have the same columns, except for those named here.
public struct ChannelTables: Sendable {
  let channel: String
  /// The wallet's rows have the channel's id. The LSP's channel is the row with `one` = 1, and its HTLCs have no
  /// channel.
  let isNamed: Bool
  /// The columns for the begin and end of a splice, after `begun_` and `ended_`.
  let moment: [String]

  public static let wallet = ChannelTables(
    channel: "channels", isNamed: true, moment: ["epoch", "wall_ns"])
  public static let provider = ChannelTables(channel: "channel", isNamed: false, moment: ["at_ns"])

  public func read(_ reader: some RowReader) throws -> ChannelRecord? {
    guard let row = try reader.firstRow("SELECT \(ChannelRow.columns) FROM \(channel)") else {
      return nil
    }
    var record = try ChannelRow.read(row)
    record.splice = try readPendingSplice(reader)
    record.htlcs = try reader.rows(
      "SELECT \(HTLCRow.columns) FROM htlcs\(isOfChannel) ORDER BY direction = 'received', id",
      key(of: record)
    ).map(HTLCRow.read)
    return record
  }

  /// Writes all rows of the channel; `now` has the values of `moment`. An HTLC has a row while it is in one of the
  /// two commitments.
  public func write(
    _ record: ChannelRecord, isRestored: Bool = false, at now: [SQLValue], _ writer: some RowWriter
  ) throws {
    // Before the channel's row, which they refer to.
    try writer.execute("DELETE FROM htlcs\(isOfChannel)", key(of: record))
    try writer.insert(
      into: channel, (isNamed ? "" : "one, ") + ChannelRow.columns,
      (isNamed ? [] : [1]) + ChannelRow.values(of: record), isReplacing: true)
    for htlc in record.htlcs {
      try writer.insert(
        into: "htlcs", (isNamed ? "channel, " : "") + HTLCRow.columns,
        key(of: record) + HTLCRow.values(of: htlc))
    }
    try writeSplice(of: record, isRestored: isRestored, at: now, writer)
  }

  private var isOfChannel: String { isNamed ? " WHERE channel = ?" : "" }

  private func key(of record: ChannelRecord) -> [SQLValue] { isNamed ? [.blob(record.id.bytes)] : [] }
}
