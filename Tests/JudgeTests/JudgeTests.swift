@testable import Judge
@testable import TestHomes

@Suite("The judge")
struct JudgeTests {
  @Test
  func `The judge finds nothing in a sound run and counts payments, claims, connections and kills`() throws {
    let run = try SampleStory.tell()
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [])
    expect(verdict.exitCode, is: 0)
    expect(verdict.counts.payments, is: 4)
    expect(verdict.counts.paid, is: 2)
    expect(verdict.counts.failed, is: 1)
    expect(verdict.counts.connections, is: 4)
    expect(verdict.counts.refused, is: 1)
    expect(verdict.counts.appClaims, is: 2)
    expect(verdict.counts.extensionClaims, is: 1)
    expect(verdict.counts.kills, is: 1)
    expect(verdict.unsettled.count, is: 1)
    #expect(verdict.text.hasSuffix("Verdict: sound.\n"))
  }

  @Test
  func `If all payments had to be settled, the judge reports a pending one as invariant 6, exit code 3`()
    throws
  {
    let run = try SampleStory.tell()
    let verdict = try Judge.verdict(home: run.home, requireSettled: true)
    expect(verdict.findings.map(\.invariant.rawValue), is: [6])
    expect(verdict.exitCode, is: 3)
  }

  @Test func `The judge accepts a phone without payments and reports 0 payments`() throws {
    let run = try SampleStory.tellWithoutPayments()
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [])
    #expect(verdict.text.contains("0 payments"))
  }

  @Test func `The judge gives no verdict without the wallet's database`() throws {
    let run = try SampleStory.tell()
    try FileManager.default.removeItem(atPath: "\(run.home)/AppGroup/node.sqlite")
    #expect(throws: JudgeError.self) { try Judge.verdict(home: run.home) }
  }

  @Test(arguments: ["AppGroup/node.sqlite", "lsp/ledger.sqlite"])
  func `A damaged database gives no verdict, and the judge says that it is damaged`(file: String) throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/\(file)"
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(repeating: 0x5A, count: 8192).write(to: URL(filePath: path))
    let error = JudgeError.damaged(path: path, reason: "file is not a database")
    #expect(throws: error) { try Judge.verdict(home: run.home) }
    #expect(error.description.contains("`baton doctor` says how"))
  }

  @Test func `A phone without a seed is sound, and a remark says that the wallet may be lost`() throws {
    let run = try SampleStory.tell()
    try FileManager.default.removeItem(atPath: "\(run.home)/Keychain/wallet-seed")
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.exitCode, is: 0)
    #expect(verdict.remarks.contains { $0.contains("the wallet is lost") }, "\(verdict.remarks)")
  }

  @Test
  func `An empty database counts as a wallet that never started, unless the peer has frames of it`() throws {
    let run = try SampleStory.tell()
    let path = "\(run.home)/AppGroup/node.sqlite"
    try Data().write(to: URL(filePath: path))
    #expect(throws: JudgeError.unreadable(path: path, reason: "no such table: meta")) {
      try Judge.verdict(home: run.home)
    }
    try run.ledger.executeAll("DELETE FROM frames")
    #expect(throws: JudgeError.neverBegun(path: path)) { try Judge.verdict(home: run.home) }
  }

  @Test func `The judge leaves no file behind and reads the write-ahead log`() throws {
    let run = try SampleStory.tell()
    // A killed process leaves its write-ahead log: here a copy of the open database.
    try run.wallet.executeAll("PRAGMA journal_mode = WAL; UPDATE claims SET incarnation = 77 WHERE epoch = 3")
    let copy = run.home + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.copyItem(atPath: run.home, toPath: copy)
    try FileManager.default.removeItem(atPath: "\(copy)/AppGroup/node.sqlite-shm")
    let before = try FileManager.default.subpathsOfDirectory(atPath: copy).sorted()
    let verdict = try Judge.verdict(home: copy)
    #expect(verdict.findings.contains { $0.sentence.contains("another incarnation than the row has") })
    expect(try FileManager.default.subpathsOfDirectory(atPath: copy).sorted(), is: before)
  }

  @Test func `The judge reads databases in use, with a remark`() throws {
    let run = try SampleStory.tell()
    let holder = try Holder("\(run.home)/AppGroup/node.sqlite")
    defer { holder.end() }
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [])
    #expect(verdict.remarks.contains { $0.contains("were running") })
  }
}

@Suite struct AmountWordsTests {
  @Test(
    arguments: [
      (12_500_000, "12,500 sat"), (1, "1 msat"), (1_000_000_001, "1,000,000,001 msat"), (0, "0 sat"),
      (-5000, "-5 sat"), (Int64.min, "-9,223,372,036,854,775,808 msat"),
    ] as [(Int64, String)])
  func `An amount is written in sat, or in msat if not whole, with thousands separators, down to Int64.min`(
    _ msat: Int64, _ text: String
  ) { expect(amountWords(msat), is: text) }
}

@Suite("The summary of a write") struct WriteSummaryTests {
  @Test func `A write's summary is parsed`() throws {
    let text = "restored=1 revision=7 invoice=1 cancelled=1 received=3 offered=2 ended=4 waiting=0 failed=1"
    let summary = try #require(WriteSummary(text))
    #expect(summary.revision == 7 && summary.received == 3 && summary.offered == 2 && summary.ended == 4)
    #expect(summary.invoices == 1 && summary.cancelled == 1 && summary.isRestored)
    let nothing = try #require(WriteSummary(""))
    #expect(nothing.revision == nil && nothing.received == 0 && !nothing.isRestored)
  }

  @Test(
    arguments: [
      "received=", "received=-1", "received=9223372036854775808",
      "revision=x", "invoices=1", "invoice=2", "waiting", "waiting=-1", "offered=0", "revision=7  received=1",
      "received", "received -1", "received 9223372036854775808",
      "channel revision 7", "new invoice", "waiting -1", "revision=7, received=1",
    ])
  func `A count that is missing, negative, too large or misspelled makes the summary invalid`(text: String) {
    #expect(WriteSummary(text) == nil)
  }

  @Test func `The judge reports a write whose count overflows`() throws {
    let run = try SampleStory.tell()
    try run.wallet.execute("UPDATE node_writes SET what = 'received=9223372036854775808' WHERE id = 1")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.sentence.hasPrefix("Node write 1 has") })
  }
}

@Suite("Extreme numbers in the databases") struct ExtremeNumberTests {
  private static let numbers = [
    "-9223372036854775808", "-1", "0", "36028797018963968", "9223372036854775807",
  ]

  /// Each row of the column gets another of the numbers.
  private func put(_ shift: Int, into column: String, of table: String, _ database: TestDatabase) {
    let cases = Self.numbers.enumerated().map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
    // A row that a constraint keeps as it is, is no reading of the judge's.
    try? database.execute(
      "UPDATE OR IGNORE \(table) SET \(column) = CASE (rowid + \(shift)) % \(Self.numbers.count) \(cases) END"
    )
  }

  private func columns(of database: TestDatabase) throws -> [(table: String, column: String)] {
    try database.rows(
      """
      SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.type = 'INTEGER' AND t.name NOT LIKE 'sqlite_%'
      """
    ).compactMap { row in
      guard case .text(let table) = row[0], case .text(let column) = row[1] else { return nil }
      return (table, column)
    }
  }

  @Test(arguments: [true, false]) func `No number in a column crashes the judge`(isLedger: Bool) throws {
    let database = { (run: SampleRun) in isLedger ? run.ledger : run.wallet }
    let all = try columns(of: database(SampleStory.tell()))
    #expect(all.count > 20)
    for (table, column) in all {
      for shift in [0, 2] {
        let run = try SampleStory.tell()
        put(shift, into: column, of: table, database(run))
        _ = try? Judge.verdict(home: run.home)
      }
    }
  }
}

@Suite("Findings of the judge") struct FindingTests {
  @Test func `A payment that the wallet received twice is reported once, with both rows`() throws {
    let run = try SampleStory.tell()
    // Two rows of one hash, as a wallet without the table's unique constraint would have them.
    try run.wallet.executeAll(
      """
      CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB, amount_msat INTEGER,
        epoch INTEGER, received_wall_ns INTEGER) STRICT;
      INSERT INTO other SELECT * FROM received_payments;
      DROP TABLE received_payments;
      ALTER TABLE other RENAME TO received_payments;
      INSERT INTO received_payments (payment_hash, amount_msat, epoch, received_wall_ns)
        SELECT payment_hash, amount_msat, epoch, received_wall_ns FROM received_payments WHERE id = 1;
      """)
    let verdict = try Judge.verdict(home: run.home)
    let twice = verdict.findings.filter { $0.sentence.hasSuffix("is in the wallet 2 times") }
    expect(twice.map(\.invariant.rawValue), is: [3])
    expect(
      twice.first?.rows.map(\.description),
      is: [
        "node.sqlite received_payments 1", "node.sqlite received_payments 3",
      ])
    expect(verdict.exitCode, is: 2)
  }

  @Test func `The verdict's text shows five findings of a kind, and all of them on request`() throws {
    let run = try SampleStory.tell()
    for number in 10..<30 {
      try run.wallet.execute(
        "INSERT INTO received_payments VALUES (?, ?, 1000, 2, 5)",
        [.integer(Int64(number)), .blob([UInt8(number)])])
    }
    let verdict = try Judge.verdict(home: run.home)
    let foreign = "no sender paid it"
    expect(verdict.findings.count { $0.sentence.contains(foreign) }, is: 20)
    let few = verdict.text.components(separatedBy: "\n")
    expect(few.count { $0.contains(foreign) }, is: 5)
    #expect(few.contains { $0.hasSuffix("and 15 more of this kind; --all shows them") })
    #expect(few.contains { $0.contains("[invariant 3 (each payment settles once, equal on both sides)]") })
    let all = verdict.text(showingAll: true).components(separatedBy: "\n")
    expect(all.count { $0.contains(foreign) }, is: 20)
    #expect(!all.contains { $0.contains("more of this kind") })
    expect(few.last { $0.hasPrefix("Verdict: ") }, is: all.last { $0.hasPrefix("Verdict: ") })
  }

  @Test func `Findings of one kind are grouped and repeated ones dropped`() {
    let finding = Finding(.claimGone, ["3"], at: [.journal("a", line: 1)])
    let like = Finding(.claimGone, ["4"], at: [.journal("b", line: 1)])
    let other = Finding(.fenceMissing, ["4"], at: [.journal("b", line: 1)])
    expect(
      FindingGroup.all([finding, like, finding, other]).map(\.findings), is: [[finding, like], [other]])
  }
}

@Suite("The judge's sequence of steps") struct StepSequenceTests {
  private typealias Entry = PeerReplay.SequenceEntry

  private func place(_ sequence: [Entry]) -> UnsafeRawPointer? {
    sequence.withUnsafeBufferPointer { $0.baseAddress.map { UnsafeRawPointer($0) } }
  }

  @Test func `Dropping the wallet's uncommitted updates at a disconnect changes the array in place`() {
    var sequence: [Entry] = []
    for frame in 0..<1000 {
      sequence.append(Entry(frame: Int64(frame), by: .wallet, step: .commit(htlcSignatures: 0, funding: nil)))
    }
    sequence.append(Entry(frame: 1000, by: .wallet, step: .fail(id: 1, code: 2)))
    sequence.append(Entry(frame: 1001, by: .peer, step: .fail(id: 2, code: 2)))
    sequence.append(Entry(frame: 1002, by: .wallet, step: .revoke(secret: [])))
    let before = place(sequence)
    sequence.forgetUnsigned()
    expect(place(sequence), is: before)
    expect(sequence.map(\.frame), is: Array(0..<1000) + [1001, 1002])
  }
}
