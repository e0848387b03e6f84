import Foundation
import Testing

@testable import Judge
@testable import TestHomes

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
    #expect(verdict.findings == [], "\(verdict.text)")
    #expect(verdict.outcome == .sound)
    #expect(verdict.counts.payments == 2 * single.counts.payments)
    #expect(verdict.counts.paid == 2 * single.counts.paid)
    #expect(verdict.counts.connections == 2 * single.counts.connections)
    #expect(verdict.counts.received == single.counts.received)
    #expect(verdict.unsettled.count == 2 * single.unsettled.count)
    #expect(verdict.unsettled.last?.hasPrefix("wallet 2: ") == true)
  }

  @Test(arguments: [
    ("UPDATE payments SET wallet = 1 WHERE id = (SELECT max(id) FROM payments WHERE state = 'paid')", 3),
    ("UPDATE backups SET wallet = 1 WHERE revision = (SELECT max(revision) FROM backups)", 4),
    ("UPDATE fence SET wallet = 1 WHERE id = (SELECT max(id) FROM fence)", 1),
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
    #expect(verdict.exitCode == 2)
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
    try FileManager.default.createDirectory(
      atPath: "\(peersHome)/journal", withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(run.home)/journal")
    where name.contains("-lspd-") {
      try FileManager.default.moveItem(
        atPath: "\(run.home)/journal/\(name)", toPath: "\(peersHome)/journal/\(name)")
    }
    try FileManager.default.copyItem(atPath: "\(run.home)/lsp", toPath: "\(peersHome)/lsp")
    try FileManager.default.removeItem(atPath: "\(run.home)/lsp/ledger.sqlite")
    let verdict = try Judge.verdict(home: run.home, peersHome: peersHome)
    #expect(verdict.findings == [], "\(verdict.text)")
    #expect(verdict.counts.payments == 4)
    let moved = try TestDatabase("\(peersHome)/lsp/ledger.sqlite")
    try moved.execute("UPDATE payments SET wallet = 1 WHERE state = 'paid'")
    #expect(try Judge.verdict(home: run.home, peersHome: peersHome).exitCode == 2)
  }
}
