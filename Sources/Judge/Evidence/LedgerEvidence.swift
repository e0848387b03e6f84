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
      try file?.rows(of: "frames", "SELECT coalesce(max(id), 0) - count(*) AS count FROM frames") {
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

private struct Missing: Decodable { let count: Int64 }

// The rows of the ledger, and of tables that both sides have, one type per table, with a property for each column that is
// judged. Times are of the clock of `Boots`.

/// A start of lspd.
struct RunEntry: Decodable {
  let id: Int64
  let startedAtNs: Int64
  let startedWallNs: Int64
  let pid: Int64
  let legacy: Int64
  /// The peer stores a backup at most once in this time; 0: each at once.
  let storageDelayNs: Int64
  /// Which pushes the peer sends.
  let pushForm: String
  /// The machine's.
  let boot: String

  var row: EvidenceRow { .ledger("runs", id) }
}

struct ConnectionEntry: Decodable {
  let id: Int64
  let node: [UInt8]?
  let epoch: Int64?
  let incarnation: Int64?
  let container: [UInt8]?
  let verdict: String?
  let openedAtNs: Int64
  let judgedAtNs: Int64?

  var isRefused: Bool { verdict?.hasPrefix("refused-") ?? false }
  var isAccepted: Bool { verdict == "accepted" || verdict == "unfenced" }
  var row: EvidenceRow { .ledger("connections", id) }
}

struct FrameEntry: Decodable {
  let id: Int64
  let connection: Int64
  let direction: String
  let atNs: Int64
  /// Emptied when the frame is read.
  var bytes: [UInt8]
  let acted: Int64
  let whyNot: String?

  /// From the wallet to the peer.
  var isIn: Bool { direction == "in" }
  var isActedOn: Bool { acted != 0 }
  var row: EvidenceRow { .frame(id) }
}

/// A frame of the ledger with its message, or the reason why it has none.
struct ReadFrame {
  let entry: FrameEntry
  let message: WireMessage?
  let channel: [UInt8]?
  let problem: String?
  let name: String

  init(_ entry: FrameEntry) {
    var read = entry
    read.bytes = []
    self.entry = read
    name = FrameReader.name(of: entry.bytes)
    do throws(FrameReader.Malformed) {
      let read = try FrameReader.read(entry.bytes)
      (message, channel, problem) = (read.message, read.channel, nil)
    } catch {
      (message, channel, problem) = (nil, nil, error.reason)
    }
  }
}

struct FenceEntry: Decodable {
  let id: Int64
  let claim: FenceClaim
  let atNs: Int64

  var row: EvidenceRow { .ledger("fence", id) }
}

struct PaymentEntry: Decodable, PartRow {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let state: String
  let offeredAtNs: Int64?
  let settledAtNs: Int64?
  let htlc: Int64?
  let preimage: [UInt8]?
  let failureCode: Int64?
  let paymentSecret: [UInt8]?
  let totalMsat: Int64?

  var isPaid: Bool { state == "paid" }
  var isFailed: Bool { state == "failed" }
  var row: EvidenceRow { .ledger("payments", id) }
  var name: String { "Payment \(id) (\(amountWords(amountMsat)), \(shortHex(paymentHash)))" }
}

/// A row with the two columns of `payment_data`.
protocol PartRow {
  var paymentSecret: [UInt8]? { get }
  var totalMsat: Int64? { get }
}

extension PartRow {
  /// Nil if both columns are empty.
  var data: PartData? {
    guard paymentSecret != nil || totalMsat != nil else { return nil }
    return PartData(secret: paymentSecret ?? [], totalMsat: UInt64(bitPattern: totalMsat ?? 0))
  }
}

/// The payments of one hash: one sender's payment in one or several parts, and failed attempts.
struct PaymentGroup {
  private(set) var paid: [PaymentEntry] = []
  /// All parts that have not failed.
  private(set) var whole: [PaymentEntry] = []
  private(set) var wholeMsat: Int64 = 0
  private(set) var firstHeld: PaymentEntry?

  static func all(_ payments: Rows<PaymentEntry>) -> [[UInt8]: PaymentGroup] {
    var groups: [[UInt8]: PaymentGroup] = [:]
    for payment in payments { groups[payment.paymentHash, default: PaymentGroup()].add(payment) }
    return groups
  }

  private mutating func add(_ payment: PaymentEntry) {
    if payment.isPaid { paid.append(payment) }
    if payment.state == "held" { firstHeld = firstHeld ?? payment }
    guard !payment.isFailed else { return }
    whole.append(payment)
    wholeMsat = wholeMsat &+ payment.amountMsat
  }
}

struct BackupEntry: Decodable {
  let revision: Int64
  /// The newest backup; of those that it replaced, the hash.
  private let blob: [UInt8]

  var isOnlyHash: Bool { blob.count == 32 }

  /// Frames have the hash of their backup.
  func has(hash: [UInt8]) -> Bool { blob == hash || Secrets.sha256(blob) == hash }

  var row: EvidenceRow { .ledger("backups", revision) }
}

struct PushEntry: Decodable {
  let id: Int64
  let outcome: String

  var isDelivered: Bool { outcome == "delivered" }
}

struct LossEntry: Decodable {
  let id: Int64
  let connection: Int64
  let whose: String

  var row: EvidenceRow { .ledger("losses", id) }
}

/// An external invoice in the ledger.
struct ExternalInvoiceEntry: Decodable {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let htlc: Int64?
  let paidAtNs: Int64?

  var isPaid: Bool { paidAtNs != nil }
  var row: EvidenceRow { .ledger("external_invoices", id) }
}

/// A wallet of the ledger.
struct LedgerWallet: Decodable {
  let id: Int64
  /// Nil until its node has been accepted.
  let node: [UInt8]?

  static func all(_ file: SQLiteFile?) throws(JudgeError) -> [LedgerWallet] {
    try file?.rows(of: "wallets", by: "id") { $0 } ?? []
  }
}

// MARK: Tables of both sides

/// The `channels` row of the wallet or the `channel` row of the ledger.
struct ChannelEntry: Decodable {
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
}

/// One open HTLC in one side's database, with `direction` and `state` as seen from that side.
struct HTLCEntry: Decodable, PartRow {
  /// Only in the wallet's database.
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
  let paymentSecret: [UInt8]?
  let totalMsat: Int64?
}

/// A splice in one side's database, from the step that binds that side on.
struct SpliceEntry: Decodable {
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
  let unsignedTransaction: [UInt8]
  /// Only in the ledger.
  let begunAtNs: Int64?
  let endedAtNs: Int64?
  /// Only in the wallet's database.
  let begunEpoch: Int64?
  let endedEpoch: Int64?

  var isLedgers: Bool { begunEpoch == nil }
  var isOver: Bool { ["done", "forgotten", "lost"].contains(state) }
  var takenMsat: Int64 { (amountSat &+ feeSat) &* 1000 }
  var row: EvidenceRow { isLedgers ? .ledger("splices", id) : .wallet("splices", id) }
  var name: String {
    "splice \(id) of \(amountWords(amountSat &* 1000)) (\(transactionWords(txid).prefix(12))…)"
  }
}
