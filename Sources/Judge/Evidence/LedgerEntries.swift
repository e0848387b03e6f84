// The rows of the ledger, one type per table. Times with the suffix `Ns` are of the clock of `Boots`.

struct RunEntry {
  let id: Int64
  let startedNs: Int64
  let startedWallNs: Int64
  let pid: Int64
  let isLegacy: Int64
  /// The peer stores a backup at most once in this time; 0: each at once, as in a ledger without the column.
  let storageDelayNs: Int64
  /// Which pushes the peer sends; nil in a ledger without the column.
  let pushForm: String?
  /// The machine's; nil in a ledger without the column.
  let boot: String?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    startedNs = try row.integer("started_at_ns")
    startedWallNs = try row.integer("started_wall_ns")
    pid = try row.integer("pid")
    isLegacy = try row.integer("legacy")
    let hasDelay = row.names.contains("storage_delay_ns")
    storageDelayNs = hasDelay ? try row.integer("storage_delay_ns") : 0
    pushForm = row.names.contains("push_form") ? try row.text("push_form") : nil
    boot = row.names.contains("boot") ? try row.text("boot") : nil
  }

  var row: EvidenceRow { .ledger("runs", id) }
}

struct ConnectionEntry {
  let id: Int64
  /// Nil in a ledger from before BOLT 8.
  let node: [UInt8]?
  let epoch: Int64?
  let incarnation: Int64?
  let container: [UInt8]?
  let verdict: String?
  let openedNs: Int64
  let judgedNs: Int64?
  let closedNs: Int64?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    node = row.names.contains("node") ? try row.optionalBlob("node") : nil
    epoch = try row.optionalInteger("epoch")
    incarnation = try row.optionalInteger("incarnation")
    container = try row.optionalBlob("container")
    verdict = try row.optionalText("verdict")
    openedNs = try row.integer("opened_at_ns")
    judgedNs = try row.optionalInteger("judged_at_ns")
    closedNs = try row.optionalInteger("closed_at_ns")
  }

  var isRefused: Bool { verdict.map(Self.refusals.contains) ?? false }
  private static let refusals: Set = [
    "refused-without-fence", "refused-lower-epoch", "refused-other-incarnation", "refused-other-container",
  ]
  var isAccepted: Bool { verdict == "accepted" || verdict == "unfenced" }
  var row: EvidenceRow { .ledger("connections", id) }
}

struct FrameEntry {
  let id: Int64
  let connection: Int64
  let direction: String
  let atNs: Int64
  /// Emptied when the frame is read.
  var bytes: [UInt8]
  let acted: Int64
  let whyNot: String?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    connection = try row.integer("connection")
    direction = try row.text("direction")
    atNs = try row.integer("at_ns")
    bytes = try row.blob("bytes")
    acted = try row.integer("acted")
    whyNot = try row.optionalText("why_not")
  }

  /// From the wallet to the peer.
  var isIn: Bool { direction == "in" }
  var isActedOn: Bool { acted != 0 }
  var row: EvidenceRow { .frame(id) }
}

struct FenceEntry {
  let id: Int64
  let claim: FenceClaim
  let atNs: Int64

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    claim = FenceClaim(
      epoch: try row.integer("epoch"), incarnation: try row.integer("incarnation"),
      container: try row.blob("container"))
    atNs = try row.integer("at_ns")
  }

  var row: EvidenceRow { .ledger("fence", id) }
}

struct PaymentEntry {
  let id: Int64
  let paymentHash: [UInt8]
  let amountMsat: Int64
  let state: String
  let offeredNs: Int64?
  let settledNs: Int64?
  let htlc: Int64?
  let preimage: [UInt8]?
  let failureCode: Int64?
  let data: PartData?

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    paymentHash = try row.blob("payment_hash")
    amountMsat = try row.integer("amount_msat")
    state = try row.text("state")
    offeredNs = try row.optionalInteger("offered_at_ns")
    settledNs = try row.optionalInteger("settled_at_ns")
    htlc = try row.optionalInteger("htlc")
    preimage = try row.optionalBlob("preimage")
    failureCode = try row.optionalInteger("failure_code")
    data = try PartData.read(row)
  }

  var isPaid: Bool { state == "paid" }
  var isFailed: Bool { state == "failed" }
  var row: EvidenceRow { .ledger("payments", id) }
}

struct BackupEntry {
  let revision: Int64
  let atNs: Int64
  /// The newest backup; of those that it replaced, the hash.
  private let blob: [UInt8]

  init(_ row: SQLiteRow) throws(JudgeError) {
    revision = try row.integer("revision")
    atNs = try row.integer("at_ns")
    blob = try row.blob("blob")
  }

  var isOnlyHash: Bool { blob.count == 32 }

  /// Frames have the hash of their backup.
  func has(hash: [UInt8]) -> Bool { blob == hash || Secrets.sha256(blob) == hash }

  var row: EvidenceRow { .ledger("backups", revision) }
}

struct PushEntry {
  let id: Int64
  let atNs: Int64
  /// The last attempt, or the end.
  let lastNs: Int64?
  let paymentHash: [UInt8]?
  let outcome: String

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    atNs = try row.integer("at_ns")
    lastNs = try row.optionalInteger("last_at_ns")
    paymentHash = try row.optionalBlob("payment_hash")
    outcome = try row.text("outcome")
  }

  var isDelivered: Bool { outcome == "delivered" }
  var row: EvidenceRow { .ledger("pushes", id) }
}

struct LossEntry {
  let id: Int64
  let connection: Int64
  let whose: String

  init(_ row: SQLiteRow) throws(JudgeError) {
    id = try row.integer("id")
    connection = try row.integer("connection")
    whose = try row.text("whose")
  }

  var row: EvidenceRow { .ledger("losses", id) }
}
