/// The wallet's database, as one read transaction saw it.
struct WalletEvidence {
  /// The value of `meta` by key.
  let meta: [(key: String, value: [UInt8])]
  let claims: [ClaimEntry]
  let writes: [NodeWriteEntry]
  let channels: [ChannelEntry]
  let htlcs: [HTLCEntry]
  let invoices: [InvoiceEntry]
  let received: [ReceivedEntry]
  let sent: [SentEntry]
  let splices: [SpliceEntry]
  /// What SQLite says was the highest number ever given, by table.
  let highestNumbers: [String: Int64]

  init(_ file: SQLiteFile) throws(JudgeError) {
    meta = try file.rows("meta", orderedBy: "key").map { (row) throws(JudgeError) in
      (key: try row.text("key"), value: try row.blob("value"))
    }
    claims = try file.rows("claims", orderedBy: "epoch").map { (row) throws(JudgeError) in
      try ClaimEntry(row)
    }
    writes = try file.rows("node_writes", orderedBy: "id").map { (row) throws(JudgeError) in
      try NodeWriteEntry(row)
    }
    channels = try file.rows("channels", orderedBy: "id").map { (row) throws(JudgeError) in
      try ChannelEntry(row)
    }
    htlcs = try file.rows("htlcs", orderedBy: "direction, id").map { (row) throws(JudgeError) in
      try HTLCEntry(row, channel: try row.blob("channel"))
    }
    invoices = try file.rows("invoices", orderedBy: "rowid").map { (row) throws(JudgeError) in
      try InvoiceEntry(row)
    }
    received = try file.rows("received_payments", orderedBy: "id").map { (row) throws(JudgeError) in
      try ReceivedEntry(row)
    }
    sent = try file.rows(ofLater: "outgoing_payments", orderedBy: "id").map { (row) throws(JudgeError) in
      try SentEntry(row)
    }
    splices = try file.rows(ofLater: "splices", orderedBy: "id").map { (row) throws(JudgeError) in
      try SpliceEntry(row, of: .wallet)
    }
    highestNumbers = try highestNumbersEverGiven(file)
  }

  var container: [UInt8]? { meta.first { $0.key == "container" }?.value }

  func claim(_ epoch: Int64) -> ClaimEntry? { claims.first { $0.epoch == epoch } }

  /// What changes with every step that is taken: equal stamps, equal states.
  var stamp: [Int64] { [claims.last?.epoch ?? 0, writes.last?.id ?? 0] }
}

func highestNumbersEverGiven(_ file: SQLiteFile) throws(JudgeError) -> [String: Int64] {
  var numbers: [String: Int64] = [:]
  for row in try file.rows("sqlite_sequence", orderedBy: "rowid") {
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
  var boot: String { hexadecimal(bootHigh) + hexadecimal(bootLow) }
  var evidence: String { "node.sqlite claims \(epoch)" }
}

struct NodeWriteEntry {
  let id: Int64
  let epoch: Int64
  let incarnation: Int64
  let what: String
  let atNs: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    epoch = try row.integer("epoch")
    incarnation = try row.integer("incarnation")
    what = try row.text("what")
    atNs = try row.integer("at_mono_ns")
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
