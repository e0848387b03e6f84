/// The `channels` row of the wallet or the `channel` row of the ledger.
struct ChannelEntry {
  let id: [UInt8]
  let isOpener: Int64
  let localMsat: Int64
  let remoteMsat: Int64
  let localCommitmentNumber: Int64
  let remoteCommitmentNumber: Int64
  let revocationsSent: Int64
  let revocationsReceived: Int64
  let lastReceivedSecret: [UInt8]
  let nextOfferedID: Int64
  let nextReceivedID: Int64
  let sentRevocationLast: Int64
  let revision: Int64
  /// Both empty before the first splice.
  let fundingTxid: [UInt8]?
  let fundingIndex: Int64?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.blob("id")
    isOpener = try row.integer("is_opener")
    localMsat = try row.integer("local_msat")
    remoteMsat = try row.integer("remote_msat")
    localCommitmentNumber = try row.integer("local_commitment_number")
    remoteCommitmentNumber = try row.integer("remote_commitment_number")
    revocationsSent = try row.integer("revocations_sent")
    revocationsReceived = try row.integer("revocations_received")
    lastReceivedSecret = try row.blob("last_received_secret")
    nextOfferedID = try row.integer("next_offered_id")
    nextReceivedID = try row.integer("next_received_id")
    sentRevocationLast = try row.integer("sent_revocation_last")
    revision = try row.integer("revision")
    fundingTxid = try row.optionalBlob("funding_txid")
    fundingIndex = try row.optionalInteger("funding_index")
  }
}

/// One open HTLC in one side's database, with `direction` and `state` as seen from that side.
struct HTLCEntry {
  let channel: [UInt8]?
  let direction: String
  let id: Int64
  let amountMsat: Int64
  let paymentHash: [UInt8]
  let cltvExpiry: Int64
  let state: String
  let removal: String?
  let preimage: [UInt8]?
  let failureCode: Int64?
  let data: PartData?

  init(_ row: SQLiteRow, channel: [UInt8]?) throws(JudgeError) {
    self.channel = channel
    direction = try row.text("direction")
    id = try row.integer("id")
    amountMsat = try row.integer("amount_msat")
    paymentHash = try row.blob("payment_hash")
    cltvExpiry = try row.integer("cltv_expiry")
    state = try row.text("state")
    removal = try row.optionalText("removal")
    preimage = try row.optionalBlob("preimage")
    failureCode = try row.optionalInteger("failure_code")
    data = try PartData.read(row)
  }
}
