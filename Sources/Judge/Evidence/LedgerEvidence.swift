/// The peer's ledger of one wallet, written outside of both wallet processes, with the raw frames.
struct LedgerEvidence {
  /// Its number in the ledger; 1 is the wallet of the phone that the peer belongs to.
  let wallet: Int64
  let wallets: [LedgerWallet]
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
    let tables = TableReader(file, wallet: wallet, visits)
    connections = try tables.read("connections", by: "id")
    frames = try tables.read("frames", by: "id") { ReadFrame($0) }
    fences = try tables.read("fence", by: "id")
    payments = try tables.read("payments", by: "id")
    backups = try tables.read("backups", by: "revision")
    channels = try tables.read("channel", by: "rowid")
    htlcs = try tables.read("htlcs", by: "direction, id")
    pushes = try tables.read("pushes", by: "id")
    runs = try tables.read("runs", by: "id")
    missingFrames =
      try file?.rows(of: "frames", columns: "coalesce(max(id), 0) - count(*) AS count", by: "1") {
        (row: Missing) in row.count
      }.first ?? 0
    losses = try tables.read("losses", by: "id")
    externalInvoices = try tables.read("external_invoices", by: "id")
    splices = try tables.read("splices", by: "id")
    channelClosedNs = try tables.read("channel_failures", by: "id").first { (row: ChannelFailure) in
      row.reason == Self.closedText
    }?.atNs
    connectionsByID = Dictionary(connections.map { ($0.id, $0) }) { first, _ in first }
    paymentsByHash = PaymentGroup.all(payments)
    paymentsByHTLC = payments.index { $0.htlc }
    paidExternal = externalInvoices.index { $0.isPaid ? $0.paymentHash : nil }
    starts = runs.map(\.startedAtNs)
  }

  /// The node that the ledger has for the wallet.
  var node: [UInt8]? { wallets.first { $0.id == wallet }?.node }

  func connection(_ id: Int64) -> ConnectionEntry? { connectionsByID[id] }

  func payments(_ paymentHash: [UInt8]) -> PaymentGroup { paymentsByHash[paymentHash] ?? PaymentGroup() }

  /// The newest run that had started by then.
  func run(at instantNs: Int64) -> RunEntry? {
    let count = starts.countOfThose(upTo: instantNs)
    return count > 0 ? runs[count - 1] : nil
  }
}

private struct ChannelFailure: Decodable {
  let atNs: Int64
  let reason: String
}

private struct Missing: Decodable {
  let count: Int64
}

/// The opened ledger, with the directory of its copy, which is removed with this value.
final class LedgerSource {
  let file: SQLiteFile
  private let scratch: Scratch

  init(_ file: SQLiteFile, in scratch: Scratch) {
    self.file = file
    self.scratch = scratch
  }
}
