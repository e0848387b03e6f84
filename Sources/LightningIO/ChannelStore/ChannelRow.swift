import Platform
import Ground
import Lightning

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
