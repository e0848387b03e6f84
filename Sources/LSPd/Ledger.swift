import Crypto
import DaemonRuntime
import Glibc
import Ground
import Lightning
import LightningIO
import LightningProvider
import Platform

/// The LSP's durable state, and the judge's evidence: raw frames with their times, whether each was processed, and
/// every claim received.
final class Ledger {
  let database: Connection
  /// Where the times of this boot of the machine begin.
  private var bootBegin = TimeSpan.zero

  init(path: String) throws {
    database = try Connection(path: path, access: .create, busyTimeoutMs: 5000)
    try database.migrate(steps: LedgerSchema.steps)
  }

  /// Begins a run, and closes the rows of connections that the last run left open.
  func beginRun(
    at now: Instant, wallNanoseconds: Int64, isLegacy: Bool, storageDelay: TimeSpan = .zero,
    pushStrategy: PushForm = .phoenix, boot: BootID = BootID(high: 0, low: 0)
  ) throws {
    try database.transaction(.immediate) {
      let bootText = Journal.text(of: boot)
      let boots = try database.rows("SELECT boot FROM runs GROUP BY boot ORDER BY min(id)", []).map {
        try $0.text(0)
      }
      bootBegin = try LedgerTime.begin(ofBoot: boots.firstIndex(of: bootText) ?? boots.count)
      let now = time(now)
      try database.execute(
        """
        INSERT INTO runs(started_at_ns, started_wall_ns, pid, legacy, storage_delay_ns, push_form, boot)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .integer(now.nanoseconds), .integer(wallNanoseconds), .integer(Int64(getpid())),
          .integer(isLegacy ? 1 : 0), .integer(storageDelay.nanoseconds), .text(pushStrategy.rawValue),
          .text(bootText),
        ])
      try database.execute(
        "UPDATE connections SET closed_at_ns = ?, closed_reason = ? WHERE closed_at_ns IS NULL",
        [.integer(now.nanoseconds), .text("lspd ended with it open")])
    }
  }

  /// An instant of this boot, as the ledger has it.
  func time(_ instant: Instant) -> Instant { instant + bootBegin }

  /// At the end. SQLite's log, which may have 4 MB, goes into the file, as far as no reader still needs it.
  func close() {
    database.setBusyTimeout(milliseconds: 0)
    try? database.script("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// One transaction. Returns the ids of the pushes, in order.
  @discardableResult func commit(_ steps: [LedgerStep]) throws -> [Int64] {
    try database.transaction(.immediate) { try steps.flatMap(write) }
  }

  private func write(_ step: LedgerStep) throws -> [Int64] {
    var step = step
    step.at = time(step.at)
    for change in step.changes { try write(change, of: step) }
    for frame in step.outgoing { try write(frame, "out", of: step, acted: true, whyNot: nil) }
    return try step.pushes.map { try write($0, of: step) }
  }

  private func write(_ change: LedgerChange, of step: LedgerStep) throws {
    let at = SQLValue.integer(step.at.nanoseconds)
    let wallet = SQLValue.integer(step.wallet.value)
    switch change {
    case .connectionOpened(let connection, let node):
      try insert(
        "connections", "opened_at_ns, id, opened_wall, node",
        [.bits(connection), .integer(step.wallNanoseconds), node.map { .blob($0.bytes) } ?? .null], of: step)
    case .connectionJudged(let connection, let verdict, let fence):
      try database.execute(
        """
        UPDATE connections SET verdict = ?, epoch = ?, incarnation = ?, container = ?, judged_at_ns = ?
        WHERE id = ?
        """,
        [
          .text(verdict.rawValue), fence.map { .bits($0.epoch) } ?? .null,
          fence.map { .bits($0.incarnation) } ?? .null, fence.map { .blob($0.container.bytes) } ?? .null, at,
          .bits(connection),
        ])
      if verdict == .accepted || verdict == .unfenced { try nameWallet(step.wallet, by: connection) }
    case .connectionClosed(let connection, let why):
      try database.execute(
        "UPDATE connections SET closed_at_ns = ?, closed_reason = ? WHERE id = ?",
        [at, .text(why), .bits(connection)])
    case .frameActedOn: try writeIncoming(step, acted: true, whyNot: nil)
    case .frameIgnored(_, let why): try writeIncoming(step, acted: false, whyNot: why)
    case .fence(let fence):
      try insert(
        "fence", "at_ns, epoch, incarnation, container",
        [try .unsigned(fence.epoch), .bits(fence.incarnation), .blob(fence.container.bytes)], of: step)
    case .backup(let connection, let blob):
      try forgetNewestBackup(of: step.wallet)
      try insert("backups", "at_ns, connection, blob", [.bits(connection), .blob(blob.array)], of: step)
    case .dataLoss(let connection, let whose):
      try insert("losses", "at_ns, connection, whose", [.bits(connection), .text(whose.rawValue)], of: step)
    case .channelFailed(let connection, let reason):
      try insert(
        "channel_failures", "at_ns, connection, reason", [.bits(connection), .text(reason)], of: step)
    case .channel(let stored):
      guard let channel = stored.channel else { return }
      try ChannelTables.provider(of: step.wallet.value).write(channel.record, at: [at], database)
    case .pushKey(let key): try insert("push_keys", "at_ns, key", [.blob(key.bytes)], of: step)
    case .holdEnded(let hash):
      // A hash that failed once more moves to the end.
      try forgetEndedHold(hash, at, wallet)
      try insert("ended_holds", "ended_at_ns, payment_hash", [.blob(hash.bytes)], of: step)
    case .endedHoldForgotten(let hash): try forgetEndedHold(hash, at, wallet)
    case .failuresOrdered(let order):
      let left = try SQLValue.unsigned(order.left)
      try insert(
        "ordered_failures", "at_ns, code, times, left", [.integer(Int64(order.code)), left, left], of: step)
    case .orderedFailureUsed:
      try database.execute(
        """
        UPDATE ordered_failures SET left = left - 1
        WHERE id = (SELECT max(id) FROM ordered_failures WHERE wallet = ?) AND left > 0
        """, [wallet])
    case .webhook(let change):
      try WebhookTables.write(
        change, of: step.wallet, at: step.at, wallNanoseconds: step.wallNanoseconds, to: database)
    case .externalMade(let invoice):
      try insert(
        "external_invoices", "made_at_ns, payment_hash, amount_msat, payment_secret, preimage",
        [
          .blob(invoice.paymentHash.bytes), try .unsigned(invoice.amountMsat),
          .blob(invoice.paymentSecret.bytes), .blob(invoice.preimage.bytes),
        ], of: step)
    case .externalPaid(let hash, let htlc):
      try database.execute(
        "UPDATE external_invoices SET htlc = ?, paid_at_ns = ? WHERE payment_hash = ?",
        [try .unsigned(htlc), at, .blob(hash.bytes)])
    case .paymentHeld(let request): try write(request, of: step)
    case .paymentOffered(let payment, let htlc):
      // A payment that is offered in the step of its request was never held.
      try database.execute(
        """
        UPDATE payments SET state = 'offered', htlc = ?, offered_at_ns = ?,
          held_at_ns = CASE WHEN requested_at_ns = ? THEN NULL ELSE held_at_ns END
        WHERE id = ?
        """, [try .unsigned(htlc), at, at, try .unsigned(payment)])
    case .paymentPaid(let payment, let preimage):
      try database.execute(
        "UPDATE payments SET state = 'paid', preimage = ?, settled_at_ns = ? WHERE id = ?",
        [.blob(preimage.bytes), at, try .unsigned(payment)])
    case .paymentFailed(let payment, let failure):
      try database.execute(
        "UPDATE payments SET state = 'failed', failure_code = ?, failure = ?, settled_at_ns = ? WHERE id = ?",
        [.integer(Int64(failure.code)), .text(failure.word), at, try .unsigned(payment)])
    }
  }

  /// A row of the step's wallet. The first of the columns is the time.
  private func insert(_ table: String, _ columns: String, _ values: [SQLValue], of step: LedgerStep) throws {
    try database.insert(
      into: table, "wallet, \(columns)",
      [.integer(step.wallet.value), .integer(step.at.nanoseconds)] + values)
  }

  private func write(_ request: PaymentRequest, of step: LedgerStep) throws {
    let holdUntil = LedgerTime.write(request.holdUntil, at: step.at)
    try insert(
      "payments",
      """
      requested_at_ns, held_at_ns, id, payment_hash, amount_msat, state, hold_until_ns, attempt, attempt_id,
      opens_channel, payment_secret, total_msat
      """,
      [
        .integer(step.at.nanoseconds), try .unsigned(request.id), .blob(request.paymentHash.bytes),
        try .unsigned(request.amountMsat), "held", .integer(holdUntil),
        try request.attempt.map { try .unsigned($0) } ?? .null,
        request.attemptID.map { .blob($0.bytes) } ?? .null,
        .integer(request.opensChannel == true ? 1 : 0),
      ] + SQLValue.columns(of: request.paymentData), of: step)
  }

  private func forgetEndedHold(_ hash: Bytes32, _ at: SQLValue, _ wallet: SQLValue) throws {
    try database.execute(
      """
      UPDATE ended_holds SET forgotten_at_ns = ?
      WHERE wallet = ? AND payment_hash = ? AND forgotten_at_ns IS NULL
      """, [at, wallet, .blob(hash.bytes)])
  }

  /// A newer one replaces it: only its hash is kept, as evidence.
  private func forgetNewestBackup(of wallet: WalletNumber) throws {
    guard
      let row = try database.firstRow(
        "SELECT revision, blob FROM backups WHERE wallet = ? ORDER BY revision DESC LIMIT 1",
        [.integer(wallet.value)])
    else { return }
    try database.execute(
      "UPDATE backups SET blob = ? WHERE revision = ?",
      [.blob(Blob(try row.blob(1)).hash.bytes), .integer(try row.integer(0))])
  }

  private func writeIncoming(_ step: LedgerStep, acted: Bool, whyNot: String?) throws {
    guard let frame = step.incoming else { return }
    try write(frame, "in", of: step, acted: acted, whyNot: whyNot)
  }

  private func write(
    _ frame: LedgerStep.FrameBytes, _ direction: String, of step: LedgerStep, acted: Bool, whyNot: String?
  ) throws {
    try insert(
      "frames", "at_ns, connection, direction, bytes, acted, why_not",
      [
        .bits(frame.connection), .text(direction), .blob(frame.bytes), .integer(acted ? 1 : 0),
        whyNot.map { .text($0) } ?? .null,
      ], of: step)
  }

  private func write(_ push: PushRequest, of step: LedgerStep) throws -> Int64 {
    try insert(
      "pushes",
      "at_ns, reason, payment_hash, amount_msat, attempts, outcome, is_open, kind, payment, hold_until_ns",
      [
        .text(push.reason.rawValue), push.paymentHash.map { .blob($0.bytes) } ?? .null,
        try push.amountMsat.map { try .unsigned($0) } ?? .null, .integer(0),
        .text(PushProgress.asked.rawValue), .integer(1), .text((push.kind ?? .alert).rawValue),
        try push.payment.map { try .unsigned($0) } ?? .null,
        push.holdUntil.map { .integer(LedgerTime.write($0, at: step.at)) } ?? .null,
      ], of: step)
    return database.lastInsertedRowID
  }

  /// Writes the outcome of a push; `detail` is iosd's error, or why there was no answer.
  func writePush(
    _ id: Int64, _ outcome: PushProgress, isOpen: Bool, detail: String? = nil, at: Instant
  ) throws {
    try database.execute(
      """
      UPDATE pushes SET outcome = ?, detail = ?, is_open = ?, attempts = attempts + ?, last_at_ns = ? WHERE id = ?
      """,
      [
        .text(outcome.rawValue), detail.map { .text($0) } ?? .null, .integer(isOpen ? 1 : 0),
        .integer(outcome.isAttempt ? 1 : 0), .integer(time(at).nanoseconds), .integer(id),
      ])
  }
}

/// The outcome of a requested push, in its row.
enum PushProgress: String, CaseIterable {
  case asked = "asked"
  /// Accepted by iosd.
  case delivered = "delivered"
  case notNeeded = "not-needed"
  /// An equal push is open.
  case merged = "merged"
  case iosdAway = "iosd-away"
  case refused = "refused"
  /// iosd disconnected, or did not answer in time.
  case unanswered = "unanswered"
  /// No phone is registered for the wallet.
  case noPhone = "no-phone"

  var isOpen: Bool { self == .asked || (isAttempt && self != .delivered) }
  var isAttempt: Bool { [.delivered, .iosdAway, .refused, .unanswered].contains(self) }
}

/// All rows of one event of the core, written together.
struct LedgerStep {
  struct FrameBytes {
    var connection: UInt64
    var bytes: [UInt8]
  }

  var wallet = WalletNumber.own
  var at: Instant
  var wallNanoseconds: Int64
  var changes: [LedgerChange] = []
  /// The event's frame.
  var incoming: FrameBytes?
  /// The frames to send after the write.
  var outgoing: [FrameBytes] = []
  var pushes: [PushRequest] = []

  /// Only our `init` is sent after this step, which is the same for every node.
  var isOpeningAlone: Bool {
    guard changes.count == 1, case .connectionOpened = changes[0] else { return false }
    return incoming == nil && pushes.isEmpty
  }

  var isEmpty: Bool { changes.isEmpty && outgoing.isEmpty && pushes.isEmpty }
}

/// Failures on order, for each wallet's payments; a wallet's newest order counts.
enum OrderedFailureTable {
  static func read(_ database: Connection, of wallet: WalletNumber = .own) throws -> OrderedFailures? {
    guard
      let row = try database.firstRow(
        "SELECT code, left FROM ordered_failures WHERE wallet = ? ORDER BY id DESC LIMIT 1",
        [.integer(wallet.value)])
    else { return nil }
    guard let code = UInt16(exactly: try row.integer(0)) else {
      throw LedgerError.unreadable("an ordered failure has no code of BOLT 4")
    }
    let left = try row.unsigned(1)
    return left > 0 ? OrderedFailures(code: code, times: left) : nil
  }
}

/// External invoices, one row each, the wallet that they were made for, and whether it has paid them.
enum ExternalInvoiceTable {
  static func read(_ database: Connection, of wallet: WalletNumber = .own) throws -> [ExternalInvoice] {
    try database.rows(
      """
      SELECT payment_hash, amount_msat, payment_secret, preimage, paid_at_ns FROM external_invoices
      WHERE wallet = ? ORDER BY id
      """, [.integer(wallet.value)]
    ).map { row in
      let preimage = try row.bytes32(3)
      let hash = try row.bytes32(0)
      guard SHA256.hash(preimage.bytes) == hash else {
        throw LedgerError.unreadable("the preimage of an external invoice")
      }
      return ExternalInvoice(
        paymentHash: hash, amountMsat: try row.unsigned(1), paymentSecret: try row.bytes32(2),
        preimage: preimage, isPaid: try !row.isNull(4))
    }
  }
}
