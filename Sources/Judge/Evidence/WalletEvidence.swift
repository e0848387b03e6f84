import Ground

/// The wallet's database in one read transaction.
struct WalletEvidence {
  /// The container's id.
  let container: [UInt8]?
  let claims: Rows<ClaimEntry>
  let writes: Rows<NodeWriteEntry>
  let channels: Rows<ChannelEntry>
  let htlcs: Rows<HTLCEntry>
  let invoices: Rows<InvoiceEntry>
  /// Payment hashes of cancelled invoices.
  let cancelled: Rows<[UInt8]>
  let received: Rows<ReceivedEntry>
  let sent: Rows<SentEntry>
  let splices: Rows<SpliceEntry>
  private let claimsByEpoch: RowIndex<Int64, ClaimEntry>
  let invoicesByHash: RowIndex<[UInt8], InvoiceEntry>
  let cancelledByHash: RowIndex<[UInt8], [UInt8]>
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
    container = try file?.entries(of: "meta", orderedBy: "key") { (row) throws(JudgeError) in
      (key: try row.text("key"), value: try row.blob("value"))
    }.first { $0.key == "container" }?.value
    let claimed = try tables.read("claims", by: "epoch", ClaimEntry.init)
    let boots = Boots(runs: runs, claims: claimed.map(\.boot))
    self.boots = boots
    claims = Rows(claimed.map { $0.moved(by: boots.beginNs(of: $0.boot)) }, visits)
    let begins = Dictionary(claimed.map { ($0.epoch, boots.beginNs(of: $0.boot)) }) { first, _ in first }
    writes = try tables.read("node_writes", by: "id") { (row) throws(JudgeError) in
      try NodeWriteEntry(row).moved { begins[$0] ?? 0 }
    }
    channels = try tables.read("channels", by: "id", ChannelEntry.init)
    htlcs = try tables.read("htlcs", by: "direction, id") { (row) throws(JudgeError) in
      try HTLCEntry(row, channel: try row.blob("channel"))
    }
    invoices = try tables.read("invoices", by: "rowid", InvoiceEntry.init)
    cancelled = try tables.read("cancelled_invoices", by: "payment_hash") { (row) throws(JudgeError) in
      try row.blob("payment_hash")
    }
    received = try tables.read("received_payments", by: "id", ReceivedEntry.init)
    sent = try tables.read("outgoing_payments", by: "id", SentEntry.init)
    splices = try tables.read("splices", by: "id") { (row) throws(JudgeError) in
      try SpliceEntry(row, of: .wallet)
    }
    claimsByEpoch = claims.index { $0.epoch }
    invoicesByHash = invoices.index { $0.paymentHash }
    cancelledByHash = cancelled.index { $0 }
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

struct ClaimEntry {
  let epoch: Int64
  let role: String
  let pid: Int64
  let startTime: Int64
  let bootHigh: Int64
  let bootLow: Int64
  let incarnation: Int64
  private(set) var bootNs: Int64
  let wallNs: Int64
  let seenEpoch: Int64
  let reason: String

  init(_ row: SQLiteRow) throws(JudgeError) {
    epoch = try row.integer("epoch")
    role = try row.text("role")
    pid = try row.integer("pid")
    startTime = try row.integer("start_time")
    bootHigh = try row.integer("boot_high")
    bootLow = try row.integer("boot_low")
    incarnation = try row.integer("incarnation")
    bootNs = try row.integer("claimed_boot_ns")
    wallNs = try row.integer("claimed_wall_ns")
    seenEpoch = try row.integer("seen_epoch")
    reason = try row.text("reason")
  }

  func moved(by spanNs: Int64) -> ClaimEntry {
    var moved = self
    moved.bootNs &+= spanNs
    return moved
  }

  /// The owner raised its epoch above one that the peer reported, after an old copy of the database was restored.
  var isRaised: Bool { Self.raised.contains(reason) }
  private static let raised: Set = ["raised-above-peer", "raised-to-move-here"]
  /// The user moved the wallet here from another container.
  var movesHere: Bool { reason == "raised-to-move-here" }
  var boot: String { [bootHigh, bootLow].map { Hexadecimal.encode(word: UInt64(bitPattern: $0)) }.joined() }
  var row: EvidenceRow { .wallet("claims", epoch) }
}

struct NodeWriteEntry {
  let id: Int64
  let epoch: Int64
  let incarnation: Int64
  let what: String
  private(set) var atNs: Int64
  /// Nil if `what` is not a summary.
  let summary: WriteSummary?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    epoch = try row.integer("epoch")
    incarnation = try row.integer("incarnation")
    what = try row.text("what")
    atNs = try row.integer("at_mono_ns")
    summary = WriteSummary(what)
  }

  func moved(by spanNs: (Int64) -> Int64) -> NodeWriteEntry {
    var moved = self
    moved.atNs &+= spanNs(epoch)
    return moved
  }

  var row: EvidenceRow { .wallet("node_writes", id) }
}

struct InvoiceEntry {
  let paymentHash: [UInt8]
  let amountMsat: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
  }

  var row: EvidenceRow { .invoice(paymentHash) }
}

struct ReceivedEntry {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let epoch: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
    epoch = try row.integer("epoch")
  }

  var row: EvidenceRow { .wallet("received_payments", id) }
}
