import DaemonRuntime
import Database
import Ground
import Heartbeat
import LightningProvider
import PostgreSQL

/// A ledger that several lspd share, and this one's leases on its wallets: each wallet is served by one at a time.
///
/// The rules are those of the pair. A lock that the server drops with this lspd's session is the sign that it runs, and
/// a counter that it raises every 2 s that it is not frozen; without the lock, or once they have seen the same counter
/// for 5 s of their own running time, other lspd may take its wallets. The lspd that takes them ends its leases, and
/// each transaction of a wallet checks in the database that its lease still stands: a late writer writes nothing.
final class LedgerShare {
  /// Less than a beat's interval: a look that comes later than that begins a new count.
  static let looksEvery = TimeSpan.seconds(1)
  /// A third of what a beat may be late.
  static let waitsForWallets = TimeSpan.seconds(2)
  /// A frozen lspd loses its lock within that time.
  static let walletsStayLocked = TimeSpan.seconds(5)
  /// The first half of the advisory lock's name; the second is the number of the run.
  private static let lockClass = 0x6261746f

  private let database: PostgreSQLConnection
  /// This lspd's row of `runs`.
  private(set) var run: Int64 = 0
  private var epochs: [WalletNumber: Int64] = [:]
  private var schedule = BeatSchedule(timing: .standard, claimedAt: Instant(nanoseconds: 0))
  /// Of the other runs.
  private var monitors: [Int64: BeatMonitor] = [:]
  /// Until then a request for the lock of the wallets is refused at once.
  private var walletsLockedUntil: Instant?

  init(_ database: PostgreSQLConnection) throws {
    self.database = database
    try checkServer()
    try migrate()
  }

  private func checkServer() throws {
    let settings = try database.firstRow(
      "SELECT current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes')"
    )
    guard try settings?.text(0) == "UTF8" else {
      throw PostgreSQLError.unfit("its encoding is not UTF8; make it with `createdb -E UTF8`")
    }
    guard try settings?.text(1) == "on", try settings?.text(2) == "on" else {
      throw PostgreSQLError.unfit(
        "its server does not sync to disk, and would lose acknowledged payments; set fsync and full_page_writes to on"
      )
    }
  }

  /// Like `Connection.migrate`: all missing steps are one transaction, and a second lspd waits for it.
  private func migrate() throws {
    try database.transaction {
      try database.execute("SELECT pg_advisory_xact_lock(?)", [.integer(Int64(Self.lockClass))])
      let tables = try database.rows(
        """
        SELECT CAST(table_name AS TEXT) FROM information_schema.tables WHERE table_schema = current_schema()
        ORDER BY table_name = 'ledger_schema' DESC, 1
        """, []
      ).map { try $0.text(0) }
      if let first = tables.first, first != "ledger_schema" {
        throw PostgreSQLError.unfit(
          "it holds another program's table \(first); make a database of its own with `createdb`")
      }
      // First, as the number of the other steps is in one of its tables.
      try migrate(LedgerSchema.sharing, from: tables.isEmpty ? 0 : try sharing(), keptIn: "sharing")
      let version = try database.firstRow("SELECT version FROM ledger_schema")?.integer(0) ?? 0
      try migrate(LedgerSchema.steps, from: version, keptIn: "version")
    }
  }

  /// How many steps of sharing were made; the first one kept no number.
  private func sharing() throws -> Int64 {
    let hasNumber = try database.firstRow(
      """
      SELECT 1 FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = 'ledger_schema' AND column_name = 'sharing'
      """)
    guard hasNumber != nil else { return 1 }
    return try database.firstRow("SELECT sharing FROM ledger_schema")?.integer(0) ?? 1
  }

  private func migrate(_ steps: [String], from before: Int64, keptIn column: String) throws {
    let known = Int64(steps.count)
    guard before <= known else {
      throw PostgreSQLError.unfit("it has schema \(before), and this program knows \(known): update it")
    }
    guard before < known else { return }
    for step in steps[Int(clamping: max(0, before))...] { try database.script(step) }
    try database.execute("UPDATE ledger_schema SET \(column) = ?", [.integer(known)])
  }

  // MARK: The LSP

  /// The LSP's node id; nil before its first lspd.
  func node() throws -> [UInt8]? { try database.firstRow("SELECT node FROM lsp")?.blob(0) }

  /// False if another key has come first.
  func setNode(_ node: [UInt8]) throws -> Bool {
    try database.execute(
      "INSERT INTO lsp(one, node) VALUES (1, ?) ON CONFLICT (one) DO NOTHING", [.blob(node)])
    return try self.node() == node
  }

  /// Over all lspd of the database, in the order of the calls.
  func nextConnection() throws -> UInt64 { try next("connection_numbers") }
  func nextPayment() throws -> UInt64 { try next("payment_numbers") }

  private func next(_ sequence: String) throws -> UInt64 {
    guard let row = try database.firstRow("SELECT nextval('\(sequence)')") else {
      throw LedgerError.unreadable("no next number")
    }
    return try row.unsigned(0)
  }

  /// Until the end of the transaction no other lspd begins a wallet.
  /// A frozen lspd loses this lock after 5 s. An lspd that waited for it as long, or for several wallets of one turn
  /// after each other, would not beat meanwhile, and lose its wallets too.
  func lockWallets(at now: Instant) throws {
    if let walletsLockedUntil, now < walletsLockedUntil { throw WalletsLockedError() }
    try database.execute(
      "SET LOCAL lock_timeout = '\(Self.waitsForWallets.wholeMilliseconds)ms'", [])
    do {
      try database.execute("LOCK TABLE wallets IN SHARE ROW EXCLUSIVE MODE", [])
    } catch PostgreSQLError.refused(state: "55P03", _) {
      walletsLockedUntil = now + Self.waitsForWallets + Self.walletsStayLocked
      throw WalletsLockedError()
    }
    // An error about another lock of the transaction would end this lspd.
    try database.execute("SET LOCAL lock_timeout TO DEFAULT", [])
  }

  /// Requests about one attempt come one after the other, at whichever lspd they come in. Nobody waits: the lspd that
  /// has the lock may be frozen.
  func whileLocked<Result>(_ attempt: Bytes32, _ body: () throws -> Result) throws -> Result {
    // The id is random, or its sender's own harm.
    let key = SQLValue.integer(attempt.bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
    let isTaken = try database.firstRow("SELECT pg_try_advisory_lock(?)", [key])?.integer(0)
    guard isTaken == 1 else { throw AttemptElsewhereError() }
    let result: Result
    do { result = try body() } catch {
      try database.execute("SELECT pg_advisory_unlock(?)", [key])
      throw error
    }
    try database.execute("SELECT pg_advisory_unlock(?)", [key])
    return result
  }

  // MARK: This lspd

  /// From here on it counts as running.
  func join(run: Int64, home: String, boot: BootID) throws {
    self.run = run
    let bootText = "\(boot.high)-\(boot.low)"
    // First the lock, by which the row is alive.
    try database.execute(
      "SELECT pg_advisory_lock(\(Self.lockClass), CAST(? AS INTEGER))", [.integer(run)])
    try database.execute(
      "INSERT INTO servers(run, boot, home, ended) VALUES (?, ?, ?, 0)",
      [.integer(run), .text(bootText), .text(home)])
    let elsewhere = try database.firstRow(
      "SELECT home FROM servers WHERE boot <> ? AND ended = 0 AND \(Self.hasLock) LIMIT 1", [.text(bootText)])
    if let home = try elsewhere?.text(0) { throw LedgerError.otherMachine(home: home) }
  }

  /// False: none is due. Throws if others have ended this lspd's leases.
  func beat(at now: Instant) throws -> Bool {
    guard now >= schedule.nextBeat else { return false }
    let count = schedule.beat(at: now)
    let rows = try database.rows(
      "UPDATE servers SET beats = ? WHERE run = ? AND ended = 0 RETURNING run",
      [try .unsigned(count), .integer(run)])
    if rows.isEmpty { throw LedgerError.fenced }
    return true
  }

  /// Of a row of `servers`: its session is there.
  private static let hasLock = """
    EXISTS (
      SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = \(lockClass)
      AND CAST(objid AS BIGINT) = servers.run AND objsubid = 2
      AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    """

  /// One look at the other lspd: ends the leases of those that are dead.
  func buryDead(at now: Instant) throws {
    let others = try database.rows(
      "SELECT run, beats, \(Self.hasLock) FROM servers WHERE run <> ? AND ended = 0", [.integer(run)])
    let earlier = monitors
    monitors = [:]
    for row in others {
      let other = try row.integer(0)
      let beats = try row.unsigned(1)
      guard try row.integer(2) != 0 else {
        try bury(other, beats: nil)
        continue
      }
      var monitor = earlier[other] ?? BeatMonitor(timing: .standard)
      let verdict = monitor.looked(
        atCounter: beats, ofEpoch: UInt64(bitPattern: other), at: now)
      monitors[other] = monitor
      if verdict == .stale { try bury(other, beats: beats) }
    }
  }

  /// `beats`: unless it has beaten since. Without them: unless its session is there.
  private func bury(_ other: Int64, beats: UInt64?) throws {
    try database.transaction {
      let isFirst =
        if let beats {
          try database.rows(
            "UPDATE servers SET ended = 1 WHERE run = ? AND ended = 0 AND beats = ? RETURNING run",
            [.integer(other), try .unsigned(beats)])
        } else {
          try database.rows(
            "UPDATE servers SET ended = 1 WHERE run = ? AND ended = 0 AND NOT \(Self.hasLock) RETURNING run",
            [.integer(other)])
        }
      guard !isFirst.isEmpty else { return }
      try database.execute(
        "UPDATE leases SET run = NULL, epoch = epoch + 1 WHERE run = ?", [.integer(other)])
    }
  }

  // MARK: Leases

  /// The lease of a wallet: of a free one, or one whose holder is dead. The sentence names the holder of another.
  func lease(_ wallet: WalletNumber, at now: Instant) throws {
    guard epochs[wallet] == nil else { return }
    if try holder(of: wallet) != nil { try buryDead(at: now) }
    try database.transaction {
      let number = SQLValue.integer(wallet.value)
      try database.execute(
        "INSERT INTO leases(wallet, epoch) VALUES (?, 0) ON CONFLICT (wallet) DO NOTHING", [number])
      let taken = try database.rows(
        "UPDATE leases SET run = ?, epoch = epoch + 1 WHERE wallet = ? AND run IS NULL RETURNING epoch",
        [.integer(run), number])
      guard let row = taken.first else { throw WalletElsewhereError(home: try holder(of: wallet) ?? "") }
      let epoch = try row.integer(0)
      // Those of the last holder.
      try database.execute(
        """
        UPDATE connections SET closed_at_ns = ?, closed_reason = 'lspd ended with it open'
        WHERE wallet = ? AND closed_at_ns IS NULL
        """, [.integer(now.nanoseconds), number])
      epochs[wallet] = epoch
    }
  }

  /// The home of the lspd that has the lease.
  private func holder(of wallet: WalletNumber) throws -> String? {
    try database.firstRow(
      """
      SELECT home FROM leases JOIN servers ON servers.run = leases.run WHERE wallet = ? AND leases.run <> ?
      """, [.integer(wallet.value), .integer(run)])?.text(0)
  }

  /// The wallet is in the ledger alone, and any lspd may serve it.
  func release(_ wallet: WalletNumber) throws {
    guard let epoch = epochs.removeValue(forKey: wallet) else { return }
    try database.execute(
      "UPDATE leases SET run = NULL WHERE wallet = ? AND run = ? AND epoch = ?",
      [.integer(wallet.value), .integer(run), .integer(epoch)])
  }

  /// In the transaction of the wallet's rows: whoever takes the lease waits for its end, and a lease that was taken
  /// lets nothing be written.
  func checkLease(of wallet: WalletNumber) throws {
    guard let epoch = epochs[wallet],
      try database.firstRow(
        "SELECT epoch FROM leases WHERE wallet = ? AND run = ? AND epoch = ? FOR SHARE",
        [.integer(wallet.value), .integer(run), .integer(epoch)]) != nil
    else { throw LedgerError.fenced }
  }

  /// Wallets that no lspd serves, and of which something is due.
  static let dueAlone =
    "NOT EXISTS (SELECT 1 FROM leases WHERE leases.wallet = due.wallet AND run IS NOT NULL)"

  /// The directories of phones whose wallet no lspd serves.
  func freePhones() throws -> [String] {
    try database.rows(
      """
      SELECT home FROM wallets WHERE home IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.wallet = wallets.id AND run IS NOT NULL) ORDER BY id
      """, []
    ).map { try $0.text(0) }
  }
}
