/// The wallet's database in one read transaction.
struct WalletEvidence {
  /// The container's id.
  let container: [UInt8]?
  let claims: Rows<ClaimEntry>
  let writes: Rows<NodeWriteEntry>
  let channels: Rows<ChannelEntry>
  let htlcs: Rows<HTLCEntry>
  let invoices: Rows<InvoiceEntry>
  let cancelled: Rows<HashEntry>
  let received: Rows<ReceivedEntry>
  let sent: Rows<SentEntry>
  let splices: Rows<SpliceEntry>
  private let claimsByEpoch: RowIndex<Int64, ClaimEntry>
  let invoicesByHash: RowIndex<[UInt8], InvoiceEntry>
  let cancelledByHash: RowIndex<[UInt8], HashEntry>
  let receivedByHash: RowIndex<[UInt8], ReceivedEntry>
  let sentByHash: RowIndex<[UInt8], SentEntry>
  let sentByHTLC: RowIndex<Int64, SentEntry>
  /// The sums of the writes of an epoch.
  private let sums: [Int64: WriteSums]
  /// Restored from the peer's backup: rows that journals show may be lost.
  let isRestored: Bool
  /// Of the claims and of lspd's starts.
  let boots: Boots

  /// Without a file: a wallet of which only the peer's ledger is known. `runs`: the boots of lspd's starts.
  init(_ file: SQLiteFile?, runs: [String] = [], _ visits: Visits) throws(JudgeError) {
    let tables = TableReader(file, visits)
    container = try tables.read("meta", by: "key").first { (row: MetaEntry) in row.key == "container" }?.value
    let claimed: Rows<ClaimEntry> = try tables.read("claims", by: "epoch")
    let boots = Boots(runs: runs, claims: claimed.map(\.boot))
    self.boots = boots
    claims = Rows(claimed.map { $0.moved(by: boots.beginNs(of: $0.boot)) }, visits)
    let begins = Dictionary(claimed.map { ($0.epoch, boots.beginNs(of: $0.boot)) }) { first, _ in first }
    writes = try tables.read("node_writes", by: "id") { (row: NodeWriteEntry) in
      row.read(movedBy: { begins[$0] ?? 0 })
    }
    channels = try tables.read("channels", by: "id")
    htlcs = try tables.read("htlcs", by: "direction, id")
    invoices = try tables.read("invoices", by: "rowid")
    cancelled = try tables.read("cancelled_invoices", by: "payment_hash")
    received = try tables.read("received_payments", by: "id")
    sent = try tables.read("outgoing_payments", by: "id")
    splices = try tables.read("splices", by: "id")
    claimsByEpoch = claims.index { $0.epoch }
    invoicesByHash = invoices.index { $0.paymentHash }
    cancelledByHash = cancelled.index { $0.paymentHash }
    receivedByHash = received.index { $0.paymentHash }
    sentByHash = sent.index { $0.paymentHash }
    sentByHTLC = sent.index { $0.htlc }
    sums = WriteSums.byEpoch(writes)
    isRestored = writes.contains { $0.summary?.isRestored ?? false }
  }

  func claim(_ epoch: Int64) -> ClaimEntry? { claimsByEpoch.first(epoch) }

  func sum(of epoch: Int64) -> WriteSums { sums[epoch] ?? WriteSums() }

  /// Changes with every step: equal stamps, equal states.
  var stamp: [Int64] { [claims.last?.epoch ?? 0, writes.last?.id ?? 0] }
}

private struct MetaEntry: Decodable {
  let key: String
  let value: [UInt8]
}
