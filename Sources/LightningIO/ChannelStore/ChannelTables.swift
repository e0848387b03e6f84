// LightningIO/ChannelStore: the channel, its HTLCs and its splices as rows, in the wallet's container and in the LSP's ledger.

import Ground
import Lightning
import Platform

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

  /// Creates the tables of the channel, its HTLCs and its splices.
  public var schema: String {
    let isLSPs = wallet != nil
    let moments = moment.map { "begun_\($0) INTEGER NOT NULL" } + moment.map { "ended_\($0) INTEGER" }
    return """
      CREATE TABLE \(channel)(
        \(isLSPs ? "wallet INTEGER PRIMARY KEY, id BLOB NOT NULL" : "id BLOB PRIMARY KEY"),
        is_opener INTEGER NOT NULL, local_msat INTEGER NOT NULL, remote_msat INTEGER NOT NULL,
        local_commitment_number INTEGER NOT NULL, remote_commitment_number INTEGER NOT NULL,
        revocations_sent INTEGER NOT NULL, revocations_received INTEGER NOT NULL,
        last_received_secret BLOB NOT NULL, next_offered_id INTEGER NOT NULL, next_received_id INTEGER NOT NULL,
        sent_revocation_last INTEGER NOT NULL, revision INTEGER NOT NULL, funding_txid BLOB,
        funding_index INTEGER) STRICT;
      CREATE TABLE htlcs(
        \(isLSPs ? "wallet INTEGER NOT NULL" : "channel BLOB NOT NULL REFERENCES channels (id)"),
        direction TEXT NOT NULL\(isLSPs ? " CHECK (direction IN ('offered', 'received'))" : ""),
        id INTEGER NOT NULL, amount_msat INTEGER NOT NULL, payment_hash BLOB NOT NULL,
        cltv_expiry INTEGER NOT NULL, state TEXT NOT NULL, removal TEXT, preimage BLOB, failure_code INTEGER,
        payment_secret BLOB, total_msat INTEGER, PRIMARY KEY (\(keyName), direction, id)) STRICT;
      CREATE TABLE splices(
        id INTEGER PRIMARY KEY AUTOINCREMENT,\(isLSPs ? " wallet INTEGER NOT NULL," : "") txid BLOB NOT NULL,
        state TEXT NOT NULL CHECK
          (state IN ('signing', 'committed', 'signed', 'done', 'forgotten'\(isLSPs ? "" : ", 'lost'"))),
        is_ours INTEGER NOT NULL, spent_txid BLOB NOT NULL, spent_index INTEGER NOT NULL,
        funding_index INTEGER NOT NULL, amount_sat INTEGER NOT NULL, fee_sat INTEGER NOT NULL,
        unsigned_transaction BLOB NOT NULL, \(moments.joined(separator: ", "))) STRICT;
      CREATE UNIQUE INDEX splices_once ON splices(txid)
        WHERE state \(isLSPs ? "<> 'forgotten'" : "NOT IN ('forgotten', 'lost')");

      """
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
          "UPDATE splices SET state = ? WHERE id = ?", [.text("\(splice.stage)"), try row.value(0)])
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
        .blob(splice.id.hash.bytes), .text("\(splice.stage)"), .integer(splice.isOurs ? 1 : 0),
        .blob(record.funding.transaction.hash.bytes), .integer(Int64(record.funding.index)),
        .integer(Int64(splice.fundingIndex)), try .unsigned(splice.amountSat), try .unsigned(splice.feeSat),
        .blob(splice.transaction.array),
      ] + now + numbers)
  }

  private var isPendingHere: String { Self.isPending + (wallet == nil ? "" : " AND wallet = ?") }
}

/// The columns of the channel itself that both sides have.
enum ChannelRow {
  static let columns = """
    id, is_opener, local_msat, remote_msat, local_commitment_number, remote_commitment_number, \
    revocations_sent, revocations_received, last_received_secret, next_offered_id, next_received_id, \
    sent_revocation_last, revision, funding_txid, funding_index
    """

  static func values(of record: ChannelRecord) throws -> [SQLValue] {
    [
      .blob(record.id.bytes), .integer(record.isOpener ? 1 : 0), try .unsigned(record.localMsat),
      try .unsigned(record.remoteMsat), try .unsigned(record.localCommitmentNumber),
      try .unsigned(record.remoteCommitmentNumber), try .unsigned(record.revocationsSent),
      try .unsigned(record.revocationsReceived), .blob(record.lastReceivedSecret.bytes),
      try .unsigned(record.nextOfferedID), try .unsigned(record.nextReceivedID),
      .integer(record.sentRevocationLast ? 1 : 0), try .unsigned(record.revision),
      record.splicedTo.map { .blob($0.transaction.hash.bytes) } ?? .null,
      record.splicedTo.map { .integer(Int64($0.index)) } ?? .null,
    ]
  }

  static func read(_ row: Row) throws -> ChannelRecord {
    var record = ChannelRecord(
      id: try row.bytes32(0), isOpener: try row.integer(1) != 0, localMsat: try row.unsigned(2),
      remoteMsat: try row.unsigned(3))
    record.localCommitmentNumber = try row.unsigned(4)
    record.remoteCommitmentNumber = try row.unsigned(5)
    record.revocationsSent = try row.unsigned(6)
    record.revocationsReceived = try row.unsigned(7)
    record.lastReceivedSecret = try row.bytes32(8)
    record.nextOfferedID = try row.unsigned(9)
    record.nextReceivedID = try row.unsigned(10)
    record.sentRevocationLast = try row.integer(11) != 0
    record.revision = try row.unsigned(12)
    if try !row.isNull(13) { record.splicedTo = try row.outPoint(13) }
    return record
  }
}

/// The columns of an HTLC that both sides have.
enum HTLCRow {
  static let columns = """
    direction, id, amount_msat, payment_hash, cltv_expiry, state, removal, preimage, failure_code, \
    payment_secret, total_msat
    """

  static func values(of htlc: HTLC) throws -> [SQLValue] {
    [
      .text("\(htlc.direction)"), try .unsigned(htlc.id), try .unsigned(htlc.amountMsat),
      .blob(htlc.paymentHash.bytes), .integer(Int64(htlc.cltvExpiry)), .text("\(htlc.state)"),
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
