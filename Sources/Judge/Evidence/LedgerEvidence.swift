/// The peer's ledger: what somebody outside both wallet processes wrote down, with the raw frames.
struct LedgerEvidence {
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
  let elsewhere: Rows<ElsewhereEntry>
  let splices: Rows<SpliceEntry>
  let highestNumbers: [String: Int64]
  /// Every frame asks who its connection is with, and a crowd of strangers leaves thousands of them.
  private let connectionsByID: [Int64: ConnectionEntry]
  /// What the payments of one hash are together.
  let paymentsByHash: [[UInt8]: PaymentGroup]
  let paymentsByHTLC: RowIndex<Int64, PaymentEntry>
  let paidElsewhere: RowIndex<[UInt8], ElsewhereEntry>
  /// The least start of this run and of all behind it.
  private let leastStarts: [Int64]

  init(_ file: SQLiteFile, _ visits: Visits) throws(JudgeError) {
    func read<Entry>(
      _ table: String, by order: String, _ make: (SQLiteRow) throws(JudgeError) -> Entry
    ) throws(JudgeError) -> Rows<Entry> {
      Rows(try file.entries(of: table, orderedBy: order, make), visits)
    }
    connections = try read("connections", by: "id", ConnectionEntry.init)
    frames = try read("frames", by: "id") { (row) throws(JudgeError) in ReadFrame(try FrameEntry(row)) }
    fences = try read("fence", by: "id", FenceEntry.init)
    payments = try read("payments", by: "id", PaymentEntry.init)
    backups = try read("backups", by: "revision", BackupEntry.init)
    channels = try read("channel", by: "one", ChannelEntry.init)
    htlcs = try read("htlcs", by: "direction, id") { (row) throws(JudgeError) in
      try HTLCEntry(row, channel: nil)
    }
    pushes = try read("pushes", by: "id", PushEntry.init)
    runs = try read("runs", by: "id", RunEntry.init)
    losses = try read("losses", by: "id", LossEntry.init)
    let hasElsewhere = try file.hasTable("elsewhere")
    elsewhere = hasElsewhere ? try read("elsewhere", by: "id", ElsewhereEntry.init) : Rows([], visits)
    splices =
      try file.hasTable("splices")
      ? try read("splices", by: "id") { (row) throws(JudgeError) in try SpliceEntry(row, of: .peer) }
      : Rows([], visits)
    highestNumbers = try highestNumbersEverGiven(file)
    connectionsByID = Dictionary(connections.map { ($0.id, $0) }) { first, _ in first }
    paymentsByHash = PaymentGroup.all(payments)
    paymentsByHTLC = payments.index { $0.htlc }
    paidElsewhere = elsewhere.index { $0.isPaid ? $0.paymentHash : nil }
    leastStarts = Self.leastStarts(runs)
  }

  /// Of a pair whose peer keeps none.
  init(absent visits: Visits) {
    connections = Rows([], visits)
    frames = Rows([], visits)
    fences = Rows([], visits)
    payments = Rows([], visits)
    backups = Rows([], visits)
    channels = Rows([], visits)
    htlcs = Rows([], visits)
    pushes = Rows([], visits)
    runs = Rows([], visits)
    losses = Rows([], visits)
    elsewhere = Rows([], visits)
    splices = Rows([], visits)
    highestNumbers = [:]
    connectionsByID = [:]
    paymentsByHash = [:]
    paymentsByHTLC = payments.index { $0.htlc }
    paidElsewhere = elsewhere.index { $0.paymentHash }
    leastStarts = []
  }

  func connection(_ id: Int64) -> ConnectionEntry? { connectionsByID[id] }

  func payments(_ paymentHash: [UInt8]) -> PaymentGroup { paymentsByHash[paymentHash] ?? PaymentGroup() }

  /// The last of the runs that had begun then, whatever their order.
  func run(at instantNs: Int64) -> RunEntry? {
    let count = leastStarts.countOfThose(upTo: instantNs)
    return count > 0 ? runs[count - 1] : nil
  }

  private static func leastStarts(_ runs: Rows<RunEntry>) -> [Int64] {
    var least = runs.map(\.startedNs)
    for place in least.indices.reversed().dropFirst() {
      least[place] = Swift.min(least[place], least[place + 1])
    }
    return least
  }
}
