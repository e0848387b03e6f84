/// An outgoing payment in the wallet's database.
struct SentEntry {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let secret: [UInt8]
  let htlc: Int64
  let state: String
  let preimage: [UInt8]?
  let failureCode: Int64?
  let begunEpoch: Int64
  let endedEpoch: Int64?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
    secret = try row.blob("payment_secret")
    htlc = try row.integer("htlc")
    state = try row.text("state")
    preimage = try row.optionalBlob("preimage")
    failureCode = try row.optionalInteger("failure_code")
    begunEpoch = try row.integer("begun_epoch")
    endedEpoch = try row.optionalInteger("ended_epoch")
  }

  var isPaid: Bool { state == "paid" }
  var isFailed: Bool { state == "failed" }
  var row: EvidenceRow { .wallet("outgoing_payments", id) }
}

/// An external invoice in the ledger.
struct ExternalInvoiceEntry {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let htlc: Int64?
  let paidNs: Int64?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
    htlc = try row.optionalInteger("htlc")
    paidNs = try row.optionalInteger("paid_at_ns")
  }

  var isPaid: Bool { paidNs != nil }
  var row: EvidenceRow { .ledger("external_invoices", id) }
}
