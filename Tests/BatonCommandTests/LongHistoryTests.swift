import Platform
import Heartbeat
import SharedContainer
import WalletProcess

@testable import Baton

@Suite("Inspecting a container with a long history", .waits) struct LongHistoryTests {
  private let scratch = TemporaryDirectory()
  private var directory: String { scratch("AppGroup") }

  /// One received and one sent payment per number, each with an invoice, a claim and three writes.
  private func live(_ lives: ClosedRange<Int64>) throws {
    _ = try SharedContainer.open(directory, role: .app, nodeSchema: WalletSchema.steps)
    let raw = try Connection(path: "\(directory)/node.sqlite", access: .readWrite)
    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT \(lives.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(lives.upperBound))"
    let hash = "CAST(printf('%032d', i) AS BLOB)"
    for statement in [
      "INSERT INTO invoices \(numbers) SELECT \(hash), 1000, 'tea', \(hash), 10 FROM n",
      "INSERT INTO received_payments \(numbers) SELECT i, \(hash), 1000, i, 10 FROM n",
      """
      INSERT INTO outgoing_payments (id, payment_hash, amount_msat, payment_secret, htlc, state, begun_epoch, begun_wall_ns)
      \(numbers) SELECT i, \(hash), 5000, \(hash), i, iif(i = 7, 'pending', 'failed'), i, 10 FROM n
      """, "INSERT INTO claims \(numbers) SELECT i, 'app', 1, 1, 1, 1, 1, 1, 1, i - 1, 'holder-died' FROM n",
      "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) \(numbers) SELECT i, 1, 'x', 1 FROM n",
      "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) \(numbers) SELECT \(lives.upperBound), 1, 'x', 1 FROM n",
    ] { try raw.execute(statement) }
    try raw.checkpoint()
    let clock = Clock()
    let beat = Beat(
      role: .app, epoch: UInt64(lives.upperBound), phase: .released, counter: 1,
      process: ProcessTable.current(boot: clock.boot), bootClock: clock.bootClock, wallClockNanoseconds: 10)
    expect(HeartbeatFile(path: "\(directory)/heartbeat").write(beat), is: .written)
  }

  private func report(isThorough: Bool = false) throws -> ContainerReport {
    try ContainerReport(
      of: directory, clock: Clock(), rows: isThorough ? nil : ContainerReport.rowsMax, isThorough: isThorough)
  }

  @Test func `SQLite's steps and the report's size do not grow with the wallet's history`() throws {
    // Above the size up to which every page is checked.
    try live(1...8_000)
    let young = try report()
    #expect(!young.snapshot.hasCheckedPages)
    try live(8_001...16_000)
    let old = try report()
    expect(old.snapshot.steps, is: young.snapshot.steps)
    #expect(old.document.json.utf8.count < young.document.json.utf8.count * 11 / 10)
    // Proof that the counter counts: a thorough look takes many times the steps.
    let whole = try Snapshot.take(
      of: directory, depth: SnapshotDepth(rowsPerTableMax: 1, isThorough: true), queries: [])
    #expect(whole.steps > 5 * old.snapshot.steps)
  }

  @Test func `A short report shows pending payments of any age, and counts received ones only up to 1,000`()
    throws
  {
    try live(1...2000)
    let short = try report()
    expect(short.wallet.sending.map(\.id), is: [7])
    expect(short.wallet.payments.map(\.id), is: Array(1901...2000))
    expect(short.wallet.sent.count, is: 100)
    expect(short.wallet.invoices.count, is: 100)
    #expect(!short.wallet.invoices.contains { !$0.isPaid })
    expect(short.wallet.count(of: "received_payments"), is: RowCount(1000, isExact: false))
    expect(short.snapshot.writes.count, is: 4000)
    #expect(short.snapshot.hasOlderClaims)
    expect(short.problems, is: [])
    let whole = try report(isThorough: true)
    expect(whole.wallet.payments.count, is: 2000)
    expect(whole.wallet.count(of: "received_payments"), is: RowCount(2000))
    expect(whole.snapshot.claims.count, is: 2000)
    expect(whole.problems, is: [])
  }
}
