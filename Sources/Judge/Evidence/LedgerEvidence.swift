/// The peer's ledger of one wallet, written outside of both wallet processes, with the raw frames.
struct LedgerEvidence {
  /// Its number in the ledger; 1 is the wallet of the phone that the peer belongs to.
  let wallet: Int64
  /// All wallets of the ledger; none in a ledger of before there could be several.
  let wallets: [LedgerWallet]
  /// Another peer may have served the wallet before, or after: each may be the one that `run(at:)` does not name.
  let isShared: Bool
  let connections: Rows<ConnectionEntry>
  let frames: Rows<ReadFrame>
  let fences: Rows<FenceEntry>
  let payments: Rows<PaymentEntry>
  let backups: Rows<BackupEntry>
  let channels: Rows<ChannelEntry>
  let htlcs: Rows<HTLCEntry>
  let pushes: Rows<PushEntry>
  let runs: Rows<RunEntry>
  let losses: Rows<LossEntry>
  /// lspd deletes no frame, so their numbers have no gap.
  let missingFrames: Int64
  let externalInvoices: Rows<ExternalInvoiceEntry>
  let splices: Rows<SpliceEntry>
  /// When the provider gave the channel up on order; nil if it has not.
  let channelClosedNs: Int64?
  /// The text of the error that such an order sends.
  static let closedText = "closed by the provider"
  /// Indexed, as every frame needs its connection, and unknown nodes may leave thousands of connections.
  private let connectionsByID: [Int64: ConnectionEntry]
  /// The payments of one hash, grouped.
  let paymentsByHash: [[UInt8]: PaymentGroup]
  let paymentsByHTLC: RowIndex<Int64, PaymentEntry>
  let paidExternal: RowIndex<[UInt8], ExternalInvoiceEntry>
  private let starts: [Int64]

  /// Without a file: the peer keeps no ledger.
  init(_ file: SQLiteFile?, wallet: Int64 = 1, _ visits: Visits) throws(JudgeError) {
    self.wallet = wallet
    wallets = try LedgerWallet.all(file)
    isShared = try file?.tables().contains("leases") ?? false
    let tables = TableReader(file, wallet: wallet, visits)
    connections = try tables.read("connections", by: "id", ConnectionEntry.init)
    frames = try tables.read("frames", by: "id") { (row) throws(JudgeError) in
      ReadFrame(try FrameEntry(row))
    }
    fences = try tables.read("fence", by: "id", FenceEntry.init)
    payments = try tables.read("payments", by: "id", PaymentEntry.init)
    backups = try tables.read("backups", by: "revision", BackupEntry.init)
    channels = try tables.read("channel", by: "rowid", ChannelEntry.init)
    htlcs = try tables.read("htlcs", by: "direction, id") { (row) throws(JudgeError) in
      try HTLCEntry(row, channel: nil)
    }
    pushes = try tables.read("pushes", by: "id", PushEntry.init)
    runs = try tables.read("runs", by: "id", RunEntry.init)
    missingFrames = try isShared ? 0 : Self.gaps(in: "frames", file)
    losses = try tables.read("losses", by: "id", LossEntry.init)
    externalInvoices = try tables.readIfThere(
      "external_invoices", by: "id", ExternalInvoiceEntry.init)
    splices = try tables.readIfThere("splices", by: "id") { (row) throws(JudgeError) in
      try SpliceEntry(row, of: .peer)
    }
    let failures = try tables.readIfThere("channel_failures", by: "id") { (row) throws(JudgeError) in
      (atNs: try row.integer("at_ns"), reason: try row.text("reason"))
    }
    channelClosedNs = failures.first { $0.reason == Self.closedText }?.atNs
    connectionsByID = Dictionary(connections.map { ($0.id, $0) }) { first, _ in first }
    paymentsByHash = PaymentGroup.all(payments)
    paymentsByHTLC = payments.index { $0.htlc }
    paidExternal = externalInvoices.index { $0.isPaid ? $0.paymentHash : nil }
    starts = runs.map(\.startedNs)
  }

  private static func gaps(in table: String, _ file: SQLiteFile?) throws(JudgeError) -> Int64 {
    var gaps: Int64 = 0
    try file?.eachRow(table, statement: "SELECT coalesce(max(id), 0) - count(*) AS gaps FROM \(table)") {
      (row) throws(JudgeError) in
      gaps = try row.integer("gaps")
    }
    return gaps
  }

  /// The node that the ledger has for the wallet.
  var node: [UInt8]? { wallets.first { $0.number == wallet }?.node }

  func connection(_ id: Int64) -> ConnectionEntry? { connectionsByID[id] }

  func payments(_ paymentHash: [UInt8]) -> PaymentGroup { paymentsByHash[paymentHash] ?? PaymentGroup() }

  /// False in a ledger without the boots of the machine if that was restarted: its clock began at 0 again.
  var hasOneClock: Bool { starts == starts.sorted() }

  /// The newest run that had started by then.
  func run(at instantNs: Int64) -> RunEntry? {
    let count = starts.countOfThose(upTo: instantNs)
    return count > 0 ? runs[count - 1] : nil
  }
}
