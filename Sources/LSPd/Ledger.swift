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

  /// The id of the row that the statement inserts.
  private func id(_ sql: String, _ values: [SQLValue]) throws -> Int64 {
    guard let row = try database.firstRow(sql, values) else { throw LedgerError.unreadable("no new row") }
    return try row.integer(0)
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
      try database.execute(
        "INSERT INTO connections(id, opened_at_ns, opened_wall, node, wallet) VALUES (?, ?, ?, ?, ?)",
        [
          .bits(connection), at, .integer(step.wallNanoseconds), node.map { .blob($0.bytes) } ?? .null,
          wallet,
        ])
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
      try database.execute(
        "INSERT INTO fence(epoch, incarnation, container, at_ns, wallet) VALUES (?, ?, ?, ?, ?)",
        [try .unsigned(fence.epoch), .bits(fence.incarnation), .blob(fence.container.bytes), at, wallet])
    case .backup(let connection, let blob):
      try forgetNewestBackup(of: step.wallet)
      try database.execute(
        "INSERT INTO backups(at_ns, connection, blob, wallet) VALUES (?, ?, ?, ?)",
        [at, .bits(connection), .blob(blob.array), wallet])
    case .dataLoss(let connection, let whose):
      try database.execute(
        "INSERT INTO losses(at_ns, connection, whose, wallet) VALUES (?, ?, ?, ?)",
        [at, .bits(connection), .text(whose.rawValue), wallet])
    case .channelFailed(let connection, let reason):
      try database.execute(
        "INSERT INTO channel_failures(at_ns, connection, reason, wallet) VALUES (?, ?, ?, ?)",
        [at, .bits(connection), .text(reason), wallet])
    case .channel(let stored):
      guard let channel = stored.channel else { return }
      try ChannelTables.provider(of: step.wallet.value).write(channel.record, at: [at], database)
    case .pushKey, .holdEnded, .endedHoldForgotten:
      try AnnouncementTables.write(change, of: step.wallet, at: step.at, to: database)
    case .failuresOrdered, .orderedFailureUsed:
      try OrderedFailureTable.write(change, of: step.wallet, at: step.at, to: database)
    case .webhook(let change):
      try WebhookTables.write(
        change, of: step.wallet, at: step.at, wallNanoseconds: step.wallNanoseconds, to: database)
    case .externalMade, .externalPaid:
      try ExternalInvoiceTable.write(change, of: step.wallet, at: step.at, to: database)
    case .paymentHeld, .paymentOffered, .paymentPaid, .paymentFailed:
      try PaymentTable.write(change, of: step.wallet, at: step.at, to: database)
    }
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
    try database.execute(
      "INSERT INTO frames(connection, direction, at_ns, bytes, acted, why_not, wallet) VALUES (?, ?, ?, ?, ?, ?, ?)",
      [
        .bits(frame.connection), .text(direction), .integer(step.at.nanoseconds), .blob(frame.bytes),
        .integer(acted ? 1 : 0), whyNot.map { .text($0) } ?? .null, .integer(step.wallet.value),
      ])
  }

  private func write(_ push: PushRequest, of step: LedgerStep) throws -> Int64 {
    try id(
      """
      INSERT INTO pushes(at_ns, reason, payment_hash, amount_msat, attempts, outcome, is_open, kind, payment,
        hold_until_ns, wallet)
      VALUES (?, ?, ?, ?, 0, ?, 1, ?, ?, ?, ?) RETURNING id
      """,
      [
        .integer(step.at.nanoseconds), .text(push.reason.rawValue),
        push.paymentHash.map { .blob($0.bytes) } ?? .null,
        try push.amountMsat.map { try .unsigned($0) } ?? .null, .text(PushProgress.asked.rawValue),
        .text((push.kind ?? .alert).rawValue), try push.payment.map { try .unsigned($0) } ?? .null,
        push.holdUntil.map { .integer(LedgerTime.write($0, at: step.at)) } ?? .null,
        .integer(step.wallet.value),
      ])
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
  static func write(
    _ change: LedgerChange, of wallet: WalletNumber, at now: Instant, to database: Connection
  ) throws {
    switch change {
    case .failuresOrdered(let order):
      try database.execute(
        "INSERT INTO ordered_failures(at_ns, code, times, left, wallet) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(now.nanoseconds), .integer(Int64(order.code)), try .unsigned(order.left),
          try .unsigned(order.left), .integer(wallet.value),
        ])
    case .orderedFailureUsed:
      try database.execute(
        """
        UPDATE ordered_failures SET left = left - 1
        WHERE id = (SELECT max(id) FROM ordered_failures WHERE wallet = ?) AND left > 0
        """, [.integer(wallet.value)])
    default: break
    }
  }

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
  static func write(
    _ change: LedgerChange, of wallet: WalletNumber, at now: Instant, to database: Connection
  ) throws {
    switch change {
    case .externalMade(let invoice):
      try database.execute(
        """
        INSERT INTO external_invoices(payment_hash, amount_msat, payment_secret, preimage, made_at_ns, wallet)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          .blob(invoice.paymentHash.bytes), try .unsigned(invoice.amountMsat),
          .blob(invoice.paymentSecret.bytes), .blob(invoice.preimage.bytes), .integer(now.nanoseconds),
          .integer(wallet.value),
        ])
    case .externalPaid(let hash, let htlc):
      try database.execute(
        "UPDATE external_invoices SET htlc = ?, paid_at_ns = ? WHERE payment_hash = ?",
        [try .unsigned(htlc), .integer(now.nanoseconds), .blob(hash.bytes)])
    default: break
    }
  }

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
