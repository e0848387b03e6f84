/// A splice in one side's database, from the step that binds that side on.
struct SpliceEntry {
  let holder: ChannelEnd
  let id: Int64
  /// In the byte order of the hash.
  let txid: [UInt8]
  let state: String
  let isOurs: Int64
  let spentTxid: [UInt8]
  let spentIndex: Int64
  let fundingIndex: Int64
  let amountSat: Int64
  let feeSat: Int64
  let transaction: [UInt8]
  /// Only in the ledger, by the monotonic clock.
  let begunNs: Int64?
  let endedNs: Int64?
  /// Only in the wallet's database.
  let begunEpoch: Int64?
  let endedEpoch: Int64?

  init(_ row: SQLiteRow, of holder: ChannelEnd) throws(JudgeError) {
    self.holder = holder
    id = try row.integer("id")
    txid = try row.blob("txid")
    state = try row.text("state")
    isOurs = try row.integer("is_ours")
    spentTxid = try row.blob("spent_txid")
    spentIndex = try row.integer("spent_index")
    fundingIndex = try row.integer("funding_index")
    amountSat = try row.integer("amount_sat")
    feeSat = try row.integer("fee_sat")
    transaction = try row.blob("unsigned_transaction")
    let isLedger = holder == .peer
    begunNs = isLedger ? try row.integer("begun_at_ns") : nil
    endedNs = isLedger ? try row.optionalInteger("ended_at_ns") : nil
    begunEpoch = isLedger ? nil : try row.integer("begun_epoch")
    endedEpoch = isLedger ? nil : try row.optionalInteger("ended_epoch")
  }

  var isOver: Bool { ["done", "forgotten", "lost"].contains(state) }
  var takenMsat: Int64 { (amountSat &+ feeSat) &* 1000 }
  var row: EvidenceRow { holder == .peer ? .ledger("splices", id) : .wallet("splices", id) }
  var name: String {
    "splice \(id) of \(amountWords(amountSat &* 1000)) (\(transactionWords(txid).prefix(12))…)"
  }
}
