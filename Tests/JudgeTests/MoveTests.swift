@testable import Judge
@testable import TestHomes

@Suite("The verdict on a wallet that the user moved to another container") struct MoveTests {
  private func verdict(
    of run: SampleRun, others: [String] = [], without: Set<EvidencePart> = []
  ) throws -> Verdict {
    try Judge.verdict(
      home: run.home, others: others.map { "\(run.home)/\($0)" }, requireSettled: true, without: without)
  }

  @Test func `After a move the run is sound if both containers are given, and a remark names the move`()
    throws
  {
    let verdict = try verdict(of: try SampleStory.tellOfMove(), others: ["AppGroup-before"])
    #expect(verdict.findings == [] && verdict.exitCode == 0, "\(verdict.text)")
    #expect(verdict.counts.paid == 1 && verdict.counts.received == 1 && verdict.counts.appClaims == 3)
    #expect(verdict.judged.map(\.rawValue).contains("other container"))
    #expect(
      verdict.remarks.contains {
        $0.hasPrefix("under epoch 2 the wallet was moved from container a1a2a3a4a5a6… ")
      })
  }

  @Test func `Without the former container there is no verdict, except with --without other`() throws {
    let run = try SampleStory.tellOfMove()
    let missing = try verdict(of: run)
    #expect(missing.findings == [] && missing.exitCode == 74, "\(missing.text)")
    expect(missing.missing.map(\.part.rawValue), is: ["other container"])
    #expect(missing.text.contains("the wallet moved into this container under epoch 2"))
    let waived = try verdict(of: run, without: [.other])
    expect(waived.exitCode, is: 0, "\(waived.text)")
    #expect(waived.text.contains("in the parts that were judged"))
  }

  @Test func `Judged from the first container, with the second given, the run is sound`() throws {
    let run = try SampleStory.tellOfMove()
    try FileManager.default.moveItem(atPath: "\(run.home)/AppGroup", toPath: "\(run.home)/later")
    try FileManager.default.moveItem(atPath: "\(run.home)/AppGroup-before", toPath: "\(run.home)/AppGroup")
    let verdict = try verdict(of: run, others: ["later"])
    #expect(verdict.findings == [] && verdict.exitCode == 0, "\(verdict.text)")
    #expect(try self.verdict(of: run).text.contains("the wallet moved away from this container"))
  }

  @Test(
    arguments: [
      ("AppGroup-before", "DELETE FROM received_payments", 3, "the wallet has not received it"),
      ("AppGroup-before", "UPDATE claims SET incarnation = 5", 1, "has no claim of that epoch"),
      ("AppGroup", "UPDATE claims SET incarnation = 5 WHERE epoch = 2", 1, "has no claim of that epoch"),
      (
        "AppGroup", "UPDATE claims SET epoch = 4, seen_epoch = 1 WHERE epoch = 2", 1,
        "which the peer never reported"
      ),
      ("AppGroup", "UPDATE channels SET local_msat = local_msat + 1", 2, "local_msat is"),
      ("AppGroup-before", "UPDATE channels SET local_msat = local_msat + 1", 2, "local_msat is"),
      ("AppGroup", "INSERT INTO received_payments VALUES (1, x'05', 5, 2, 9)", 3, "no sender paid it"),
    ])
  func `A broken row in either container is reported`(
    container: String, change: String, invariant: Int, words: String
  ) throws {
    let run = try SampleStory.tellOfMove()
    try TestDatabase("\(run.home)/\(container)/node.sqlite").execute(change)
    let verdict = try verdict(of: run, others: ["AppGroup-before"])
    expect(verdict.exitCode, is: 2)
    #expect(
      verdict.findings.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(verdict.text)")
  }

  @Test func `A move that the peer accepted although it replaces a claim other than the newest is reported`()
    throws
  {
    let verdict = try verdict(of: try SampleStory.tellOfMove(naming: 0), others: [])
    expect(verdict.exitCode, is: 2)
    #expect(
      verdict.findings.contains {
        $0.sentence.contains("accepted where its rule says refused-other-container")
      },
      "\(verdict.text)")
  }

  @Test func `A container that the wallet never used is refused as the other container`() throws {
    let run = try SampleStory.tell()
    let other = try SampleStory.tellOfMove()
    #expect(throws: JudgeError.noOtherContainer(path: "\(other.home)/AppGroup-before")) {
      try Judge.verdict(home: run.home, others: ["\(other.home)/AppGroup-before"])
    }
  }
}

@Suite("The judge on a ledger of several wallets") struct WalletsTests {
  private static let tables = [
    "connections", "frames", "fence", "payments", "backups", "channel", "htlcs", "pushes", "losses",
    "external_invoices", "splices",
  ]

  /// A run whose ledger has the same once more for a second wallet, with the same payments, HTLCs and epochs.
  private func twice() throws -> SampleRun {
    let run = try SampleStory.tell()
    let node = String(repeating: "03", count: 33)
    var script = "INSERT INTO wallets VALUES (2, x'\(node)', NULL);"
    for table in Self.tables {
      // Without constraints, as a copy.
      script += """
        CREATE TABLE copied AS SELECT *, 1 AS wallet FROM \(table); DROP TABLE \(table);
        CREATE TABLE \(table) AS SELECT * FROM copied; DROP TABLE copied;
        CREATE TEMP TABLE more AS SELECT * FROM \(table); UPDATE more SET wallet = 2;
        """
      switch table {
      case "connections": script += "UPDATE more SET id = id + 1000, node = x'\(node)';"
      case "frames":
        script += "UPDATE more SET id = id + (SELECT max(id) FROM frames), connection = connection + 1000;"
      case "backups": script += "UPDATE more SET revision = revision + 1000;"
      case "channel", "htlcs": break
      default: script += "UPDATE more SET id = id + 1000;"
      }
      script += "INSERT INTO \(table) SELECT * FROM more; DROP TABLE more;"
    }
    try run.ledger.executeAll(script)
    return run
  }

  @Test func `Each wallet is judged by itself, the phone's with its container and the other by the ledger`()
    throws
  {
    let alone = try SampleStory.tell()
    let single = try Judge.verdict(home: alone.home)
    let run = try twice()
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [], "\(verdict.text)")
    expect(verdict.outcome, is: .sound)
    expect(verdict.counts.payments, is: 2 * single.counts.payments)
    expect(verdict.counts.paid, is: 2 * single.counts.paid)
    expect(verdict.counts.connections, is: 2 * single.counts.connections)
    expect(verdict.counts.received, is: single.counts.received)
    expect(verdict.unsettled.count, is: 2 * single.unsettled.count)
    expect(verdict.unsettled.last?.hasPrefix("wallet 2: "), is: true)
  }

  @Test(arguments: [
    ("UPDATE payments SET wallet = 1 WHERE id = (SELECT max(id) FROM payments WHERE state = 'paid')", 3),
    ("UPDATE fence SET wallet = 1 WHERE id = (SELECT max(id) FROM fence)", 1),
    ("UPDATE backups SET wallet = 1 WHERE revision = (SELECT max(revision) FROM backups)", 4),
    ("UPDATE connections SET node = x'02' WHERE id = (SELECT max(id) FROM connections)", 1),
    (
      "UPDATE frames SET wallet = 1 WHERE connection = (SELECT min(connection) FROM frames WHERE wallet = 2)",
      1
    ),
  ])
  func `A row that is another wallet's is found with the number of the wallet`(sql: String, invariant: Int)
    throws
  {
    let run = try twice()
    try run.ledger.execute(sql)
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.exitCode, is: 2)
    let second = verdict.findings.filter { $0.sentence.hasPrefix("Wallet 2: ") }
    #expect(!second.isEmpty, "\(verdict.text)")
    #expect(verdict.findings.contains { $0.invariant.rawValue == invariant }, "\(verdict.text)")
  }

  @Test func `A phone that another phone's peer serves is judged by its own wallet's rows there`() throws {
    let run = try twice()
    #expect(throws: JudgeError.noWallet(path: "\(run.home)/lsp/ledger.sqlite")) {
      try Judge.verdict(home: run.home, peersHome: run.home)
    }
    let node = WireBytes.hex(SampleRun.node)
    try run.ledger.executeAll(
      """
      UPDATE wallets SET node = x'\(node)' WHERE id = 2;
      UPDATE connections SET node = x'\(node)' WHERE wallet = 2;
      DELETE FROM payments WHERE wallet = 1;
      """)
    let peersHome = NSTemporaryDirectory() + "judge-test-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: peersHome) }
    try FileManager.default.createDirectory(atPath: "\(peersHome)/journal", withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(run.home)/journal")
    where name.contains("-lspd-") {
      try FileManager.default.moveItem(
        atPath: "\(run.home)/journal/\(name)", toPath: "\(peersHome)/journal/\(name)")
    }
    try FileManager.default.copyItem(atPath: "\(run.home)/lsp", toPath: "\(peersHome)/lsp")
    try FileManager.default.removeItem(atPath: "\(run.home)/lsp/ledger.sqlite")
    let verdict = try Judge.verdict(home: run.home, peersHome: peersHome)
    expect(verdict.findings, is: [], "\(verdict.text)")
    expect(verdict.counts.payments, is: 4)
    let moved = try TestDatabase("\(peersHome)/lsp/ledger.sqlite")
    try moved.execute("UPDATE payments SET wallet = 1 WHERE state = 'paid'")
    expect(try Judge.verdict(home: run.home, peersHome: peersHome).exitCode, is: 2)
  }
}

/// A node other than the wallet's dials the peer.
@Suite("The verdict on a connection of an unknown node") struct UnknownNodeTests {
  private static let unknownNode = WireBytes.bytes(
    "034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa")
  private static let initMessage = [0, 16, 0, 0, 0, 0] as [UInt8]

  private func findings(
    verdict: String = "visitor", of node: [UInt8] = unknownNode, initMessage: [UInt8] = initMessage,
    _ then: (SampleRun) throws -> Void = { _ in }
  ) throws -> [Int] {
    let run = try SampleStory.tellWithoutPayments { run in
      try run.connect(2, node: node)
      try run.receive(2, initMessage, out: [WireBytes.initMessage])
      try run.ledger.execute(
        "UPDATE connections SET verdict = ?, judged_at_ns = ? WHERE id = 2",
        [.text(verdict), .integer(run.stamp)])
      try then(run)
      try run.close(2, "the other side disconnected")
    }
    return try Judge.verdict(home: run.home).findings.map(\.invariant.rawValue)
  }

  @Test func `An unknown node's init and ping are no finding`() throws {
    expect(try findings { try $0.receive(2, WireBytes.ping(2), out: [WireBytes.pong(2)]) }, is: [])
  }

  @Test
  func
    `An unknown node accepted as the wallet violates invariant 1, and so does the wallet accepted as unknown`()
    throws
  {
    #expect(try findings(verdict: "unfenced").contains(1))
    #expect(try findings(of: SampleRun.node).contains(1))
  }

  @Test func `An unknown node may send frames that Baton's own nodes never send`() throws {
    let networks: [UInt8] = Self.initMessage + [1, 32] + [UInt8](repeating: 6, count: 32)
    let found = try findings(initMessage: networks) { run in
      try run.receive(2, [0, 18, 0, 1, 0, 3, 97, 98, 99], out: [WireBytes.pong(1)])
      try run.receive(2, [0, 18, 0, 1], why: "chatter")
      try run.receive(2, [9], why: "it is cut off")
    }
    expect(found, is: [])
  }
}
