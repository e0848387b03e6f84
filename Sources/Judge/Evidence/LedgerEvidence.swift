/// The peer's ledger: what somebody outside both wallet processes wrote down, with the raw frames.
struct LedgerEvidence {
  let connections: [ConnectionEntry]
  let frames: [FrameEntry]
  let fences: [FenceEntry]
  let payments: [PaymentEntry]
  let backups: [BackupEntry]
  let channels: [ChannelEntry]
  let htlcs: [HTLCEntry]
  let pushes: [PushEntry]
  let runs: [RunEntry]
  let losses: [LossEntry]
  let elsewhere: [ElsewhereEntry]
  let splices: [SpliceEntry]
  let highestNumbers: [String: Int64]
  /// Every frame asks who its connection is with, and a crowd of strangers leaves thousands of them.
  private let connectionsByID: [Int64: ConnectionEntry]

  init(_ file: SQLiteFile) throws(JudgeError) {
    connections = try file.rows("connections", orderedBy: "id").map { (row) throws(JudgeError) in
      try ConnectionEntry(row)
    }
    connectionsByID = Dictionary(connections.map { ($0.id, $0) }) { first, _ in first }
    frames = try file.rows("frames", orderedBy: "id").map { (row) throws(JudgeError) in try FrameEntry(row) }
    fences = try file.rows("fence", orderedBy: "id").map { (row) throws(JudgeError) in
      try FenceEntry(row)
    }
    payments = try file.rows("payments", orderedBy: "id").map { (row) throws(JudgeError) in
      try PaymentEntry(row)
    }
    backups = try file.rows("backups", orderedBy: "revision").map { (row) throws(JudgeError) in
      try BackupEntry(row)
    }
    channels = try file.rows("channel", orderedBy: "one").map { (row) throws(JudgeError) in
      try ChannelEntry(row)
    }
    htlcs = try file.rows("htlcs", orderedBy: "direction, id").map { (row) throws(JudgeError) in
      try HTLCEntry(row, channel: nil)
    }
    pushes = try file.rows("pushes", orderedBy: "id").map { (row) throws(JudgeError) in try PushEntry(row) }
    runs = try file.rows("runs", orderedBy: "id").map { (row) throws(JudgeError) in try RunEntry(row) }
    losses = try file.rows("losses", orderedBy: "id").map { (row) throws(JudgeError) in try LossEntry(row) }
    elsewhere = try file.rows(ofLater: "elsewhere", orderedBy: "id").map { (row) throws(JudgeError) in
      try ElsewhereEntry(row)
    }
    splices = try file.rows(ofLater: "splices", orderedBy: "id").map { (row) throws(JudgeError) in
      try SpliceEntry(row, of: .peer)
    }
    highestNumbers = try highestNumbersEverGiven(file)
  }

  func connection(_ id: Int64) -> ConnectionEntry? { connectionsByID[id] }
}
