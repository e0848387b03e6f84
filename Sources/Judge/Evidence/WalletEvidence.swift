/// The wallet's database, as one read transaction saw it.
struct WalletEvidence {
  /// The value of `meta` by key.
  let meta: [(key: String, value: [UInt8])]
  let claims: Rows<ClaimEntry>
  let writes: Rows<NodeWriteEntry>
  let channels: Rows<ChannelEntry>
  let htlcs: Rows<HTLCEntry>
  let invoices: Rows<InvoiceEntry>
  /// Which of them the person has cancelled; none in a database of before that.
  let cancelled: Rows<[UInt8]>
  let received: Rows<ReceivedEntry>
  let sent: Rows<SentEntry>
  let splices: Rows<SpliceEntry>
  /// What SQLite says was the highest number ever given, by table.
  let highestNumbers: [String: Int64]
  private let claimsByEpoch: RowIndex<Int64, ClaimEntry>
  let invoicesByHash: RowIndex<[UInt8], InvoiceEntry>
  let cancelledByHash: RowIndex<[UInt8], [UInt8]>
  let receivedByHash: RowIndex<[UInt8], ReceivedEntry>
  let sentByHash: RowIndex<[UInt8], SentEntry>
  let sentByHTLC: RowIndex<Int64, SentEntry>
  /// What the writes of an epoch did together.
  private let sums: [Int64: WriteSums]
  /// An old database, or one that was healed from the peer's copy, has lost what journals tell.
  let isRestored: Bool

  init(_ file: SQLiteFile, _ visits: Visits) throws(JudgeError) {
    func read<Entry>(
      _ table: String, by order: String, _ make: (SQLiteRow) throws(JudgeError) -> Entry
    ) throws(JudgeError) -> Rows<Entry> {
      Rows(try file.entries(of: table, orderedBy: order, make), visits)
    }
    meta = try file.entries(of: "meta", orderedBy: "key") { (row) throws(JudgeError) in
      (key: try row.text("key"), value: try row.blob("value"))
    }
    claims = try read("claims", by: "epoch", ClaimEntry.init)
    writes = try read("node_writes", by: "id", NodeWriteEntry.init)
    channels = try read("channels", by: "id", ChannelEntry.init)
    htlcs = try read("htlcs", by: "direction, id") { (row) throws(JudgeError) in
      try HTLCEntry(row, channel: try row.blob("channel"))
    }
    invoices = try read("invoices", by: "rowid", InvoiceEntry.init)
    let hasCancelled = try file.hasTable("cancelled_invoices")
    cancelled =
      hasCancelled
      ? try read("cancelled_invoices", by: "payment_hash") { (row) throws(JudgeError) in
        try row.blob("payment_hash")
      } : Rows([], visits)
    received = try read("received_payments", by: "id", ReceivedEntry.init)
    let hasSent = try file.hasTable("outgoing_payments")
    sent = hasSent ? try read("outgoing_payments", by: "id", SentEntry.init) : Rows([], visits)
    splices =
      try file.hasTable("splices")
      ? try read("splices", by: "id") { (row) throws(JudgeError) in try SpliceEntry(row, of: .wallet) }
      : Rows([], visits)
    highestNumbers = try highestNumbersEverGiven(file)
    claimsByEpoch = claims.index { $0.epoch }
    invoicesByHash = invoices.index { $0.paymentHash }
    cancelledByHash = cancelled.index { $0 }
    receivedByHash = received.index { $0.paymentHash }
    sentByHash = sent.index { $0.paymentHash }
    sentByHTLC = sent.index { $0.htlc }
    sums = WriteSums.byEpoch(writes)
    isRestored = writes.contains { $0.summary?.isRestored ?? false }
  }

  var container: [UInt8]? { meta.first { $0.key == "container" }?.value }

  func claim(_ epoch: Int64) -> ClaimEntry? { claimsByEpoch.first(epoch) }

  func sum(of epoch: Int64) -> WriteSums { sums[epoch] ?? WriteSums() }

  /// What changes with every step that is taken: equal stamps, equal states.
  var stamp: [Int64] { [claims.last?.epoch ?? 0, writes.last?.id ?? 0] }
}

func highestNumbersEverGiven(_ file: SQLiteFile) throws(JudgeError) -> [String: Int64] {
  var numbers: [String: Int64] = [:]
  _ = try file.entries(of: "sqlite_sequence", orderedBy: "rowid") { (row) throws(JudgeError) in
    numbers[try row.text("name")] = try row.integer("seq")
  }
  return numbers
}

struct ClaimEntry {
  let epoch: Int64
  let role: String
  let pid: Int64
  let startTime: Int64
  let bootHigh: Int64
  let bootLow: Int64
  let incarnation: Int64
  let bootNs: Int64
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

  /// The owner jumped above a number that the peer knew: an old copy of the database had been put back.
  var isRaised: Bool { reason.contains("raised") || reason.contains("higher epoch") }
  /// The person brought the wallet here from another container.
  var movesHere: Bool { reason == "raised-to-move-here" }
  var boot: String { hexadecimal(bootHigh) + hexadecimal(bootLow) }
  var evidence: String { "node.sqlite claims \(epoch)" }
}

struct NodeWriteEntry {
  let id: Int64
  let epoch: Int64
  let incarnation: Int64
  let what: String
  let atNs: Int64
  /// Nil for words that no write of this version uses.
  let summary: WriteSummary?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    epoch = try row.integer("epoch")
    incarnation = try row.integer("incarnation")
    what = try row.text("what")
    atNs = try row.integer("at_mono_ns")
    summary = WriteSummary(what)
  }

  var evidence: String { "node.sqlite node_writes \(id)" }
}

struct InvoiceEntry {
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let text: String
  let tweak: [UInt8]
  let expiresAt: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
    text = try row.text("text")
    tweak = try row.blob("tweak")
    expiresAt = try row.integer("expires_at")
  }

  var evidence: String { "node.sqlite invoices \(shortHex(paymentHash))" }
}

struct ReceivedEntry {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let epoch: Int64
  let wallNs: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
    epoch = try row.integer("epoch")
    wallNs = try row.integer("received_wall_ns")
  }

  var evidence: String { "node.sqlite received_payments \(id)" }
}
