import Crypto
import DaemonRuntime
import Database
import Foundation
import Ground
import LightningProvider
import LightningWire
import PostgreSQL
import Testing
import WaitingTests

@testable import LSPd

/// Two lspd's views of one database, without their processes.
@Suite(
  "The leases of a ledger that several lspd share", .waits,
  .enabled(if: TestServer.programs != nil, TestServer.missing))
struct SharedLedgerTests {
  private let url: String
  private let now = Instant(nanoseconds: 1_000_000_000)

  init() throws { url = try TestServer.shared.get().newDatabase() }

  private func ledger(_ home: String, boot: UInt64 = 1) throws -> Ledger {
    let ledger = try Ledger(url: url)
    let run = try ledger.beginRun(at: now, wallNanoseconds: 0, isLegacy: false)
    try ledger.share?.join(run: run, home: home, boot: BootID(high: boot, low: 1))
    return ledger
  }

  private func sql(_ sql: String) throws {
    try PostgreSQLConnection(url: url, application: "test").execute(sql, [])
  }

  private func hold(_ id: UInt64) -> LedgerStep {
    LedgerStep(
      at: now, wallNanoseconds: 0,
      changes: [
        .paymentHeld(
          PaymentRequest(id: id, paymentHash: SHA256.hash([UInt8(id)]), amountMsat: 1000, holdUntil: now))
      ])
  }

  private func paymentCount() throws -> Int { try rows(of: "SELECT id FROM payments", in: url).count }

  @Test func `A wallet that one lspd serves is refused to the other, which is told who has it`() throws {
    let first = try ledger("/one")
    let second = try ledger("/two")
    try first.share?.lease(.own, at: now)
    #expect(throws: WalletElsewhereError.self) { try second.share?.lease(.own, at: now) }
    do { try second.share?.lease(.own, at: now) } catch { #expect("\(error)".contains("/one")) }
    try first.commit([hold(1)])
    // Without a lease nothing is written.
    #expect(throws: LedgerError.self) { try second.commit([hold(2)]) }
    #expect(try paymentCount() == 1)
    try first.share?.release(.own)
    try second.share?.lease(.own, at: now)
    try second.commit([hold(2)])
    #expect(throws: LedgerError.self) { try first.commit([hold(3)]) }
    #expect(try paymentCount() == 2)
  }

  @Test func `Of an lspd whose session has ended the wallets are free at once`() throws {
    let first = try ledger("/one")
    let second = try ledger("/two")
    try first.share?.lease(.own, at: now)
    try first.commit([
      LedgerStep(at: now, wallNanoseconds: 0, changes: [.connectionOpened(connection: 7)])
    ])
    let run = try #require(first.share?.run)
    // Returns once the session has ended.
    try sql(
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 2 AND CAST(objid AS BIGINT) = \(run)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """)
    try second.share?.lease(.own, at: now)
    #expect(
      try rows(of: "SELECT closed_reason FROM connections", in: url).map { try $0.text(0) }
        == ["lspd ended with it open"])
    // Each time: nothing tells the program that its connection ended before it asks.
    for _ in 0..<2 {
      do {
        try first.commit([hold(1)])
        Issue.record("written without a connection")
      } catch PostgreSQLError.connectionLost {}
    }
    #expect(try paymentCount() == 0)
  }

  /// One look each second, from the one second to the other: the wallet stays where it is.
  private func expectKept(by observer: Ledger, from begin: Int64, through end: Int64) throws {
    for second in begin...end {
      try observer.share?.buryDead(at: now + .seconds(second))
      #expect(throws: WalletElsewhereError.self, "after \(second) s") {
        try observer.share?.lease(.own, at: now + .seconds(second))
      }
    }
  }

  @Test
  func `After 5 s in which it has seen no beat an lspd takes the wallet, and the late one writes nothing`()
    throws
  {
    let first = try ledger("/one")
    let second = try ledger("/two")
    try first.share?.lease(.own, at: now)
    try expectKept(by: second, from: 0, through: 4)
    try second.share?.lease(.own, at: now + .seconds(5))
    do {
      try first.commit([hold(1)])
      Issue.record("the late lspd has written")
    } catch { #expect("\(error)" == LedgerError.fenced.description) }
    #expect(throws: LedgerError.self) { try first.share?.beat(at: now) }
    #expect(throws: LedgerError.self) {
      try first.writePush(1, .delivered, isOpen: false, at: now)
    }
    try second.commit([hold(2)])
    #expect(try rows(of: "SELECT id FROM payments", in: url).map { try $0.integer(0) } == [2])
  }

  @Test func `A beat, and a pause of the lspd that looks, begin the 5 s anew`() throws {
    let first = try ledger("/one")
    let second = try ledger("/two")
    try first.share?.lease(.own, at: now)
    try expectKept(by: second, from: 0, through: 4)
    #expect(try first.share?.beat(at: now) == true)
    #expect(try first.share?.beat(at: now) == false)
    try expectKept(by: second, from: 5, through: 9)
    // The machine slept, or the server did not answer: the other could not beat either.
    try expectKept(by: second, from: 30, through: 34)
    try second.share?.lease(.own, at: now + .seconds(35))
    try second.commit([hold(1)])
  }

  @Test func `No time of a clock that can be set is among what lspd share`() throws {
    _ = try ledger("/one")
    let server = try PostgreSQLConnection(url: url, application: "test")
    #expect(
      try server.rows(
        """
        SELECT CAST(table_name AS TEXT) FROM information_schema.columns
        WHERE table_schema = current_schema() AND data_type LIKE 'time%'
        """, []
      ).isEmpty)
  }

  @Test func `A database whose beats were times is taken over, and its wallets are served`() throws {
    let server = try PostgreSQLConnection(url: url, application: "test")
    try server.script(LedgerSchema.sharing[0])
    for step in LedgerSchema.steps { try server.script(step) }
    try server.execute("UPDATE ledger_schema SET version = ?", [.integer(Int64(LedgerSchema.steps.count))])
    try server.execute(
      "INSERT INTO servers(run, boot, home, beat_at, ended) VALUES (7, '1-1', '/old', clock_timestamp(), 0)",
      [])
    try server.execute("INSERT INTO leases(wallet, run, epoch) VALUES (1, 7, 3)", [])
    let first = try ledger("/one")
    try first.share?.lease(.own, at: now)
    try first.commit([hold(1)])
    #expect(try rows(of: "SELECT epoch FROM leases", in: url).map { try $0.integer(0) } == [5])
    #expect(
      try rows(of: "SELECT sharing FROM ledger_schema", in: url).map { try $0.integer(0) }
        == [Int64(LedgerSchema.sharing.count)])
    #expect(try first.share?.beat(at: now) == true)
  }

  @Test func `A copied directory takes no wallet that another lspd serves, nor its phone`() throws {
    let first = try ledger("/one")
    #expect(try first.ownWallet(home: "/one", at: now) == .own)
    try first.share?.lease(.own, at: now)
    let copy = try Ledger(url: url, wallet: .own)
    let run = try copy.beginRun(at: now, wallNanoseconds: 0, isLegacy: false)
    try copy.share?.join(run: run, home: "/two", boot: BootID(high: 1, low: 1))
    #expect(try copy.ownWallet(home: "/two", at: now) == .own)
    #expect(throws: WalletElsewhereError.self) { try copy.share?.lease(.own, at: now) }
    #expect(throws: LedgerError.self) { try copy.keepHome("/two", of: .own) }
    #expect(throws: LedgerError.self) { try copy.register("/two/os/iosd.sock", of: .own) }
    #expect(try first.wallet(ofPhone: "/one") == .own)
    #expect(try first.phoneSocket(of: .own) == nil)
    // Of a moved one nobody else has the lease.
    try first.share?.release(.own)
    try copy.share?.lease(.own, at: now)
    try copy.keepHome("/two", of: .own)
    #expect(try copy.wallet(ofPhone: "/two") == .own)
  }

  @Test func `Whoever waits for the lock of the wallets beats again in time`() throws {
    let first = try ledger("/one")
    try withWalletsLocked {
      #expect(throws: WalletsLockedError.self) { try first.allocating(at: now) { _ in } }
      let hasBeaten = try first.share?.beat(at: now)
      #expect(hasBeaten == true)
    }
  }

  /// As by an lspd that is frozen while it adds one.
  private func withWalletsLocked(_ body: () throws -> Void) throws {
    let server = try PostgreSQLConnection(url: url, application: "test")
    try server.transaction {
      try server.execute("LOCK TABLE wallets IN SHARE ROW EXCLUSIVE MODE", [])
      try body()
    }
  }

  @Test func `After a vain wait for that lock no other wallet waits for 5 s, and then one tries again`()
    throws
  {
    let first = try ledger("/one")
    try withWalletsLocked {
      #expect(throws: WalletsLockedError.self) { try first.allocating(at: now) { _ in } }
    }
    // Free again: whoever asks the server gets it.
    for milliseconds in [2000, 6999] as [Int64] {
      #expect(throws: WalletsLockedError.self) {
        try first.allocating(at: now + .milliseconds(milliseconds)) { _ in }
      }
    }
    #expect(try first.allocating(at: now + .seconds(7)) { $0 } == 1)
  }

  @Test func `Only the lock of the wallets is waited for less than others, also in its transaction`() throws {
    let first = try ledger("/one")
    let limit = "SELECT current_setting('lock_timeout')"
    #expect(
      try first.allocating(at: now) { _ in try first.database.firstRow(limit)?.text(0) } == "15s")
    #expect(try first.database.firstRow(limit)?.text(0) == "15s")
  }

  @Test func `A wallet that has its name connects while another lspd adds a wallet`() throws {
    let first = try ledger("/one")
    try first.share?.lease(.own, at: now)
    let key = try #require(PrivateKey(SHA256.hash([1])))
    func connection(_ id: UInt64) -> LedgerStep {
      LedgerStep(
        at: now, wallNanoseconds: 0,
        changes: [
          .connectionOpened(connection: id, node: key.publicKey),
          .connectionJudged(connection: id, .unfenced, nil),
        ])
    }
    try first.commit([connection(1)])
    // Waiting, it would get the lock only when the server ends this transaction.
    try withWalletsLocked { try first.commit([connection(2)]) }
    #expect(try first.node(of: .own) == key.publicKey)
  }

  @Test func `A takeover of many wallets stops after a second of its own for the beat, and goes on later`()
    throws
  {
    let first = try ledger("/one")
    let second = try ledger("/two")
    for number in Int64(2)...6 { try first.begin(WalletNumber(number), ofPhone: "/\(number)") }
    for number in Int64(1)...6 {
      try first.share?.lease(WalletNumber(number), at: now)
      var step = hold(UInt64(number))
      step.wallet = WalletNumber(number)
      try first.commit([step])
      try first.share?.release(WalletNumber(number))
    }
    var clock = now
    /// Each takes 0.4 s.
    func takeOver(_ wallets: [WalletNumber]) throws -> [Int64] {
      var taken: [Int64] = []
      try Takeover.serve(wallets, clock: { clock }) { wallet in
        clock = clock + .milliseconds(400)
        try second.share?.lease(wallet, at: clock)
        taken.append(wallet.value)
      }
      return taken
    }
    let due = try second.dueWallets()
    #expect(due.map(\.value) == Array(1...6))
    // The first lspd was faster.
    try first.share?.lease(WalletNumber(2), at: now)
    #expect(try takeOver(due) == [1, 3])
    #expect(try second.dueWallets().map(\.value) == [4, 5, 6])
    #expect(try takeOver(second.dueWallets()) == [4, 5, 6])
    #expect(try second.dueWallets().isEmpty)
  }

  @Test func `A copy of a ledger has as much time as it takes, and lspd's transactions have not`() throws {
    for (purpose, limits) in [
      (PostgreSQLConnection.Purpose.copying, ["0", "0"]), (.serving, ["1min", "5s"]),
    ] {
      let server = try PostgreSQLConnection(url: url, application: "test", for: purpose)
      let row = try server.firstRow(
        """
        SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')
        """)
      #expect(try (0..<2).map { try row?.text($0) } == limits)
    }
    #expect(!"\(PostgreSQLError.connectionLost("gone"))".contains("lspd"))
  }

  @Test func `A directory's ledger is not begun anew in another database`() throws {
    let home = FileManager.default.temporaryDirectory.appending(path: "baton-place-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: home) }
    try FileManager.default.createDirectory(atPath: "\(home)/lsp", withIntermediateDirectories: true)
    let place = LedgerPlace(path: "\(home)/lsp/ledger-url")
    try place.keep("postgresql:///elsewhere", wallet: .own)
    guard case .run(let line) = try ProviderOptions.declaration.parse(["--home", home, "--ledger", url])
    else {
      Issue.record("not a start")
      return
    }
    let options = ProviderOptions(line)
    #expect(throws: LedgerError.self) { try LedgerPlace.open(options) }
    #expect(try rows(of: "SELECT name FROM sqlite_schema", in: url).isEmpty)
  }

  @Test func `Numbers of payments, connections and wallets are unique over all lspd of a database`() throws {
    let ledgers = [try ledger("/one"), try ledger("/two")]
    var numbers: [UInt64] = []
    var connections: [UInt64] = []
    for _ in 0..<3 {
      for ledger in ledgers {
        numbers.append(try #require(try ledger.share?.nextPayment()))
        connections.append(try #require(try ledger.share?.nextConnection()))
      }
    }
    #expect(numbers == Array(1...6) && connections == Array(1...6))
    let own = try ledgers.map { try $0.ownWallet(home: $0 === ledgers[0] ? "/one" : "/two", at: now) }
    #expect(own == [.own, WalletNumber(2)])
    #expect(try ledgers[1].ownWallet(home: "/one", at: now) == .own)
    let counts = try ledgers.map { ledger in
      try ledger.allocating(at: now) { count in
        let key = try #require(PrivateKey(SHA256.hash([UInt8(count)])))
        try ledger.begin(WalletNumber(Int64(count) + 1), of: key.publicKey)
        return count
      }
    }
    #expect(counts == [2, 3])
  }

  @Test func `An lspd of another machine is refused while one serves the database`() throws {
    let first = try ledger("/one")
    #expect(throws: LedgerError.self) { try ledger("/two", boot: 2) }
    #expect(first.share?.run == 1)
  }

  @Test func `All lspd of a database are one LSP, and a second key is refused`() throws {
    let first = try Ledger(url: url)
    #expect(try !first.isKnownByNodes())
    let keys = try (1...2).map { try #require(PrivateKey(SHA256.hash([$0]))) }
    #expect(try first.share?.setNode(keys[0].publicKey.bytes) == true)
    #expect(try first.share?.setNode(keys[1].publicKey.bytes) == false)
    #expect(try Ledger(url: url).isKnownByNodes())
  }

  @Test func `A text with a zero byte is stored, and the schema is made once`() throws {
    let first = try ledger("/one")
    try first.share?.lease(.own, at: now)
    try first.commit([
      LedgerStep(
        at: now, wallNanoseconds: 0, changes: [.channelFailed(connection: 1, "your \0 secret")])
    ])
    _ = try Ledger(url: url)
    #expect(
      try first.readState(newChannel: .zero, at: now).failure == "your \u{FFFD} secret")
    #expect(
      try rows(of: "SELECT version FROM ledger_schema", in: url).map { try $0.integer(0) }
        == [Int64(LedgerSchema.steps.count)])
  }

  @Test func `Another program's database, and one of a newer lspd, are refused with one sentence`() throws {
    try sql("CREATE TABLE songs(id BIGINT)")
    do {
      _ = try Ledger(url: url)
      Issue.record("the database of songs was taken")
    } catch { #expect("\(error)".contains("another program's table songs")) }
    try sql("DROP TABLE songs")
    _ = try Ledger(url: url)
    try sql("UPDATE ledger_schema SET version = 1000")
    do {
      _ = try Ledger(url: url)
      Issue.record("the newer database was taken")
    } catch { #expect("\(error)".contains("schema 1000")) }
  }
}
