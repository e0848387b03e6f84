@testable import Judge
@testable import TestHomes

/// One row per check: the damage that a missing rule in the wallet or in lspd would leave.
@Suite("Each check of the judge") struct CheckTests {
  @Test(
    arguments: [
      ("UPDATE claims SET seen_epoch = 0 WHERE epoch = 2", 1, "was claimed against epoch 0"),
      ("UPDATE claims SET epoch = 5 WHERE epoch = 3", 1, "follows epoch 2: there is a gap"),
      ("UPDATE claims SET claimed_boot_ns = 1 WHERE epoch = 3", 1, "ns before epoch 2"),
      ("UPDATE claims SET role = 'app' WHERE epoch = 2", 1, "was claimed as app by notifyextd"),
      (
        "UPDATE claims SET reason = 'raised-above-peer' WHERE epoch = 3", 1,
        "by another process than the owner"
      ),
      (
        "UPDATE claims SET reason = 'raised-above-peer', epoch = 9 WHERE epoch = 3", 1,
        "which the peer never reported"
      ),
      (
        "UPDATE claims SET pid = 300, start_time = 900 WHERE epoch = 2", 1,
        "but the journal of its process has no such claim"
      ),
      ("UPDATE claims SET pid = 999 WHERE epoch = 2", 1, "another process's journal has the claim"),
      ("UPDATE claims SET incarnation = 1 WHERE epoch = 2", 1, "another incarnation than the row has"),
      ("DELETE FROM claims WHERE epoch = 3", 4, "Epoch 3 was claimed, but is not in the database"),
      ("UPDATE meta SET value = x'01'", 1, "has not 16 bytes"),
      ("UPDATE node_writes SET incarnation = 1 WHERE id = 5", 1, "an incarnation that never claimed it"),
      ("UPDATE node_writes SET at_mono_ns = 5 WHERE id = 5", 1, "is older than the claim"),
      ("UPDATE node_writes SET at_mono_ns = 5 WHERE id = 6", 1, "ns before the write ahead of it"),
      ("UPDATE node_writes SET at_mono_ns = at_mono_ns * 2 WHERE id = 5", 1, "two processes used the node"),
      ("DELETE FROM node_writes WHERE id = 3", 4, "before row 4 of node_writes"),
      ("DELETE FROM invoices WHERE amount_msat = 100000", 4, "was stored, but is gone"),
      (
        "DELETE FROM invoices WHERE amount_msat = 100000", 4,
        "node_writes counts 3 new invoices, and the table invoices has 2"
      ),
      ("DELETE FROM invoices WHERE amount_msat = 100000", 3, "There is no invoice for"),
      ("UPDATE invoices SET amount_msat = 100001 WHERE amount_msat = 100000", 3, "asks for 100,001 msat"),
      ("UPDATE received_payments SET id = 5 WHERE id = 2", 4, "before row 5 of received_payments"),
      ("UPDATE received_payments SET epoch = 9 WHERE id = 1", 3, "which no process claimed"),
      ("UPDATE received_payments SET epoch = 3 WHERE id = 2", 3, "but the writes under it count 0"),
      ("UPDATE channels SET revision = revision + 1", 2, "but its last write made it"),
      ("UPDATE channels SET local_msat = local_msat + 1", 2, "local_msat is"),
      ("UPDATE channels SET last_received_secret = x'05'", 2, "is not the one that was revealed last"),
      ("DELETE FROM htlcs", 2, "the received HTLC 2 is missing"),
      ("DELETE FROM channels", 4, "its database has no row of the channel"),
    ])
  func `The judge reports an inconsistent row in the wallet's database`(
    change: String, invariant: Int, words: String
  ) throws {
    let run = try SampleStory.tell()
    try run.wallet.execute(change)
    try demand(run, invariant, words)
  }

  @Test func `A finding that names a frame has the frame's time, and one without a frame has none`() throws {
    let run = try SampleStory.tell()
    let changed = try run.ledger.rows(
      "UPDATE frames SET acted = 0 WHERE direction = 'in' AND hex(bytes) LIKE '0088%' RETURNING id, at_ns")
    guard case .integer(let id)? = changed.first?.first, case .integer(let at)? = changed.first?.last else {
      Issue.record("the sample has no channel_reestablish")
      return
    }
    let findings = try Judge.verdict(home: run.home).findings
    let named = try #require(findings.first { $0.rows.contains(.frame(id)) })
    expect(named.atNs, is: at)
    try run.wallet.execute("UPDATE claims SET seen_epoch = 0 WHERE epoch = 2")
    let claim = try #require(
      try Judge.verdict(home: run.home).findings.first { $0.sentence.contains("was claimed against epoch 0") }
    )
    #expect(claim.atNs == nil)
  }

  @Test func `The newest backup is whole, and only of earlier ones the peer may have the hash`() throws {
    func sentences(_ revision: String) throws -> [String] {
      let run = try SampleStory.tell()
      let rows = try run.ledger.rows(
        "SELECT blob FROM backups WHERE revision = (SELECT \(revision) FROM backups)")
      guard case .blob(let whole)? = rows.first?.first else { return ["there is no backup"] }
      try run.ledger.execute(
        "UPDATE backups SET blob = ? WHERE revision = (SELECT \(revision) FROM backups)",
        [.blob(WireBytes.sha256(whole))])
      return try Judge.verdict(home: run.home).findings.map(\.sentence)
    }
    expect(try sentences("min(revision)"), is: [])
    expect(try sentences("max(revision)"), is: ["The peer keeps only the hash of the newest backup"])
  }

  @Test func `A ledger of more boots than its times have room for gets a verdict`() throws {
    let run = try SampleStory.tell()
    try run.ledger.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO runs(started_at_ns, started_wall_ns, pid, legacy, boot)
      SELECT 9000000000000000000 + i, 1, 1, 0, hex(i) || '0000000000000000' FROM n
      """)
    _ = try Judge.verdict(home: run.home)
  }

  @Test(
    arguments: [
      ("INSERT INTO losses VALUES (1, 5, 3, 'wallet')", 2, "the state of the wallet was behind"),
      ("UPDATE backups SET blob = x'05' WHERE revision = 1", 4, "not those that the wallet stored"),
      ("DELETE FROM backups WHERE revision = (SELECT max(revision) FROM backups)", 4, "the wallet stored"),
      ("UPDATE connections SET epoch = 1 WHERE id = 3", 1, "has another claim for connection 3"),
      ("UPDATE payments SET state = 'offered' WHERE id = 1", 3, "but did not notify the sender"),
      ("UPDATE connections SET verdict = 'refused-lower-epoch' WHERE id = 3", 1, "its rule says accepted"),
      (
        "UPDATE connections SET epoch = 7 WHERE id = 3", 1, "the wallet's database has no claim of that epoch"
      ),
      ("UPDATE connections SET judged_at_ns = 5 WHERE id = 3", 1, "before that epoch was claimed"),
      ("UPDATE fence SET epoch = 9 WHERE id = 2", 1, "differs from the one that an init raised"),
      ("DELETE FROM fence WHERE id = 3", 4, "and its fence history lacks it"),
      ("INSERT INTO fence VALUES (4, 9, 9, x'05', 5)", 1, "which no init brought"),
      ("UPDATE payments SET state = 'odd' WHERE id = 1", 3, "has the unknown state odd"),
      (
        "UPDATE payments SET preimage = NULL WHERE id = 1", 3,
        "another column of its row contradicts that state"
      ),
      (
        "UPDATE payments SET settled_at_ns = NULL WHERE id = 1", 3,
        "another column of its row contradicts that state"
      ),
      ("UPDATE payments SET preimage = x'05' WHERE id = 1", 3, "with a preimage of another hash"),
      ("UPDATE payments SET amount_msat = 5 WHERE id = 1", 3, "but its sender paid 5 msat"),
      ("UPDATE payments SET htlc = 9 WHERE id = 1", 3, "does not belong to exactly one payment"),
      ("UPDATE payments SET state = 'held' WHERE id = 1", 3, "but the peer still holds it"),
      ("UPDATE payments SET state = 'failed' WHERE id = 1", 3, "failed although its preimage was received"),
    ])
  func `The judge reports an inconsistent row in the peer's ledger`(
    change: String, invariant: Int, words: String
  ) throws {
    let run = try SampleStory.tell()
    try run.ledger.execute(change)
    try demand(run, invariant, words)
  }

  private func demand(_ run: SampleRun, _ invariant: Int, _ words: String) throws {
    let found = try Judge.verdict(home: run.home).findings
    #expect(
      found.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(found.map { "\($0.invariant.rawValue) \($0.sentence)" })")
  }
}

/// The extension is killed between the commit of its claim and the journal line of the answer.
@Suite("A claim whose answer was never written") struct ClaimMomentTests {
  private static let lookForReceived = "{\"readReceived\":{}}"
  private static let found = "{\"receivedFound\":{\"_0\":[],\"push\":1}}"
  private static let notRead = "{\"receivedNotRead\":{\"_0\":{\"failed\":{\"_0\":\"x\"}},\"push\":1}}"

  private func findings(ordered: [String] = [], written: [String] = [], ends: Bool = false) throws -> [Int] {
    let run = try SampleStory.tellWithoutPayments { run in
      let service = run.start("notifyextd", pid: 200)
      try run.askAndCommit(2, "extension", pid: 200, service, "holder-died", orderedBefore: ordered)
      for event in written { service.event("guard-extension", event, at: run.now) }
      if ends { service.end(at: run.now) } else { service.tear() }
      run.ended(
        2, "extension", pid: 200, how: "signalled", number: 9, reason: "killed from outside by signal 9")
    }
    return try Judge.verdict(home: run.home).findings.map(\.invariant.rawValue)
  }

  @Test func `A claim without answer is accepted if the request for it is the journal's last line`() throws {
    expect(try findings(), is: [])
    expect(try findings(ordered: [Self.lookForReceived]), is: [])
  }

  @Test
  func `A claim without answer is accepted if since its request only earlier orders were answered`() throws {
    expect(try findings(ordered: [Self.lookForReceived], written: [Self.found]), is: [])
    expect(try findings(ordered: [Self.lookForReceived], written: [Self.notRead]), is: [])
  }

  @Test
  func
    `A claim without answer violates invariant 1 if its process went on to another event, or ended in order`()
    throws
  {
    expect(try findings(written: [Self.found]), is: [1])
    expect(try findings(ordered: [Self.lookForReceived], written: [Self.found, Self.found]), is: [1])
    expect(try findings(ordered: [Self.lookForReceived], written: ["\"deadlineReached\""]), is: [1])
    expect(try findings(ends: true), is: [1])
  }
}

/// The judge reads each row and each line a constant number of times.
@Suite("The judge's work on a long run") struct LinearTests {
  private func visits(of run: SampleRun) throws -> Int {
    let collector = EvidenceCollector(home: run.home)
    var checker = Checker(evidence: try collector.collect { _ in }, requireSettled: true)
    checker.run()
    _ = checker.verdict
    return collector.visits.count
  }

  @Test
  func `A run with many payments is sound, and the judge's reads grow linearly with the payments`() throws {
    let short = try LargeRun.tell(payments: 50)
    let long = try LargeRun.tell(payments: 200)
    let verdict = try Judge.verdict(home: long.home, requireSettled: true)
    #expect(verdict.findings == [] && verdict.missing == [], "\(verdict.text)")
    expect(verdict.counts.paid, is: 200)
    let looks = (short: try visits(of: short), long: try visits(of: long))
    #expect(looks.short > 0 && looks.long < 5 * looks.short, "\(looks)")
  }

  @Test func `The judge's reads grow linearly with rows that no other evidence knows`() throws {
    func broken(_ rows: Int) throws -> SampleRun {
      let run = try SampleStory.tell()
      try run.wallet.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < \(100 + rows))
        INSERT INTO received_payments (id, payment_hash, amount_msat, epoch, received_wall_ns)
          SELECT i, CAST('hash ' || i AS BLOB), 1000, 2, i FROM n
        """)
      return run
    }
    let looks = try [500, 2000].map { try visits(of: try broken($0)) }
    #expect(looks[1] < 5 * looks[0], "\(looks)")
  }
}
