import Ground
import Database
import Lightning
import SharedContainer

/// The channel and its HTLCs as rows. There is one channel.
enum ChannelTable {
  static func read(_ reader: NodeReader) throws -> Channel? {
    let row = try reader.firstRow(
      """
      SELECT id, is_opener, local_msat, remote_msat, local_commitment_number, remote_commitment_number,
        revocations_sent, revocations_received, last_received_secret, next_offered_id, next_received_id,
        sent_revocation_last, revision, funding_txid, funding_index FROM channels
      """)
    guard let row else { return nil }
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
    record.splice = try SpliceTable.readPending(reader)
    record.htlcs = try HTLCTable.read(channel: record.id, reader)
    do throws(ChannelError) {
      return try Channel(restoring: record)
    } catch {
      throw WalletStoreError.damagedChannel(error)
    }
  }

  static func write(_ record: ChannelRecord, _ writer: NodeWriter) throws {
    let stored = try writer.firstRow("SELECT revision FROM channels WHERE id = ?", [.blob(record.id.bytes)])
    if let revision = try stored?.unsigned(0), revision >= record.revision {
      throw WalletStoreError.stateWouldGoBack(stored: revision, offered: record.revision)
    }
    try HTLCTable.removeAll(channel: record.id, writer)
    try writer.execute(
      """
      INSERT INTO channels (id, is_opener, local_msat, remote_msat, local_commitment_number,
        remote_commitment_number, revocations_sent, revocations_received, last_received_secret,
        next_offered_id, next_received_id, sent_revocation_last, revision, funding_txid, funding_index)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET is_opener = excluded.is_opener, local_msat = excluded.local_msat,
        remote_msat = excluded.remote_msat, local_commitment_number = excluded.local_commitment_number,
        remote_commitment_number = excluded.remote_commitment_number,
        revocations_sent = excluded.revocations_sent, revocations_received = excluded.revocations_received,
        last_received_secret = excluded.last_received_secret, next_offered_id = excluded.next_offered_id,
        next_received_id = excluded.next_received_id, sent_revocation_last = excluded.sent_revocation_last,
        revision = excluded.revision, funding_txid = excluded.funding_txid,
        funding_index = excluded.funding_index
      """,
      [
        .blob(record.id.bytes), .integer(record.isOpener ? 1 : 0), .unsigned(record.localMsat),
        .unsigned(record.remoteMsat), .unsigned(record.localCommitmentNumber),
        .unsigned(record.remoteCommitmentNumber), .unsigned(record.revocationsSent),
        .unsigned(record.revocationsReceived), .blob(record.lastReceivedSecret.bytes),
        .unsigned(record.nextOfferedID), .unsigned(record.nextReceivedID),
        .integer(record.sentRevocationLast ? 1 : 0), .unsigned(record.revision),
        record.splicedTo.map { .blob($0.transaction.hash.bytes) } ?? .null,
        record.splicedTo.map { .integer(Int64($0.index)) } ?? .null,
      ])
    for htlc in record.htlcs { try HTLCTable.insert(htlc, channel: record.id, writer) }
  }
}

extension Row {
  func transactionID(_ index: Int) throws -> TransactionID { TransactionID(hash: try bytes32(index)) }

  /// Of a column and the one behind it.
  func outPoint(_ index: Int) throws -> OutPoint {
    guard let place = UInt32(exactly: try integer(index + 1)) else { throw mismatch(index + 1, "an output") }
    return OutPoint(transaction: try transactionID(index), index: place)
  }

  func bytes32(_ index: Int) throws -> Bytes32 {
    guard let value = Bytes32(try blob(index)) else { throw mismatch(index, "32 bytes") }
    return value
  }
}
