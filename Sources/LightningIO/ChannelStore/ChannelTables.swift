// ChannelStore: the channel, its HTLCs and its splices as rows, in the wallet's container and in the LSP's ledger.

import Platform
import Ground
import Lightning

/// The tables of a side's one channel. Both sides have the same columns, except for those named here.
public struct ChannelTables: Sendable {
  let channel: String
  /// The LSP's rows have the number of their wallet, the wallet's own rows the channel's id.
  let wallet: Int64?
  /// The columns for the begin and end of a splice, after `begun_` and `ended_`.
  let moment: [String]

  public static let wallet = ChannelTables(channel: "channels", wallet: nil, moment: ["epoch", "wall_ns"])

  /// The LSP's channel with this wallet; 1 is the one of its own phone.
  public static func provider(of wallet: Int64 = 1) -> ChannelTables {
    ChannelTables(channel: "channel", wallet: wallet, moment: ["at_ns"])
  }

  public func read(_ reader: some RowReader) throws -> ChannelRecord? {
    let own = try reader.firstRow("SELECT \(ChannelRow.columns) FROM \(channel)\(isOfWallet)", numbers)
    guard let row = own else { return nil }
    var record = try ChannelRow.read(row)
    record.splice = try readPendingSplice(reader)
    record.htlcs = try reader.rows(
      "SELECT \(HTLCRow.columns) FROM htlcs WHERE \(keyName) = ? ORDER BY direction = 'received', id",
      [key(of: record)]
    ).map(HTLCRow.read)
    return record
  }

  /// Writes all rows of the channel; `now` has the values of `moment`. An HTLC has a row while it is in one of the
  /// two commitments.
  public func write(
    _ record: ChannelRecord, isRestored: Bool = false, at now: [SQLValue], _ writer: some RowWriter
  ) throws {
    // Before the channel's row, which they refer to.
    try writer.execute("DELETE FROM htlcs WHERE \(keyName) = ?", [key(of: record)])
    try writer.insert(
      into: channel, (wallet == nil ? "" : "wallet, ") + ChannelRow.columns,
      numbers + ChannelRow.values(of: record), isReplacing: true)
    for htlc in record.htlcs {
      try writer.insert(
        into: "htlcs", "\(keyName), \(HTLCRow.columns)", [key(of: record)] + HTLCRow.values(of: htlc))
    }
    try writeSplice(of: record, isRestored: isRestored, at: now, writer)
  }

  /// The column of an HTLC's channel.
  private var keyName: String { wallet == nil ? "channel" : "wallet" }

  private func key(of record: ChannelRecord) -> SQLValue {
    wallet.map { .integer($0) } ?? .blob(record.id.bytes)
  }

  /// For the tables of which the wallet's own container has one row.
  var isOfWallet: String { wallet == nil ? "" : " WHERE wallet = ?" }
  var numbers: [SQLValue] { wallet.map { [.integer($0)] } ?? [] }
}
