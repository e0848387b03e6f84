import Foundation
import Testing

@testable import Judge
@testable import TestHomes

/// The judge and the peer's access log. At the end of the sample the wallet is away, 400,000 msat are offered to it, and
/// the peer has 8,999,300,000 msat.
@Suite("The judge and the hints that the peer gave") struct HintTests {
  enum Moment: CaseIterable {
    /// Connection 2 is open, and its channel re-established.
    case connected
    /// Connection 3 has sent its `init`, and nothing else.
    case connecting
    /// Payment 4, of 50,000 msat, is held, and payment 3 is offered.
    case holding
    case atTheEnd
  }

  private static let wallet = WireBytes.hex(SampleRun.node)
  private static let stranger = "03" + String(repeating: "22", count: 32)

  private func instant(_ moment: Moment, _ evidence: Evidence) -> Int64 {
    let payments = evidence.ledger.payments
    switch moment {
    case .connected: return payments[1].requestedNs + 1
    case .connecting: return (evidence.ledger.connections[2].judgedNs ?? 0) + 1
    case .holding: return payments[3].requestedNs + 1
    case .atTheEnd: return (payments[3].settledNs ?? 0) + 1
    }
  }

  private static func answer(_ hint: String, _ reason: String, _ delayMs: Int64? = nil) -> String {
    "\"status\":200,\"hint\":\"\(hint)\",\"reason\":\"\(reason)\""
      + (delayMs.map { ",\"recommended_delay_ms\":\($0)" } ?? "")
  }

  private func findings(
    _ moment: Moment, _ amountMsat: UInt64, to recipient: String = HintTests.wallet, _ answer: String,
    sql: String = ""
  ) throws -> [String] {
    let run = try SampleStory.tell()
    if !sql.isEmpty { try run.ledger.executeAll(sql) }
    let atNs = instant(moment, try EvidenceCollector(home: run.home).collect { _ in })
    let line =
      "{\"at_ns\":\(atNs),\"at_wall_ns\":1,\"method\":\"GET\","
      + "\"target\":\"/lsp/forwarding_hint?recipient=\(recipient)&amount_msat=\(amountMsat)\",\(answer)}\n"
    try line.write(toFile: "\(run.home)/lsp/access.jsonl", atomically: false, encoding: .utf8)
    return try Judge.verdict(home: run.home).findings.map(\.sentence)
  }

  private static let cases: [(Moment, UInt64, String)] = [
    (.connected, 5000, answer("retry_now", "unknown", 1000)),
    (.connecting, 5000, answer("retry_now", "disconnected", 1000)),
    (.holding, 5000, answer("retry_later", "disconnected", 5000)),
    // Payment 3 comes back if it fails, and payment 4 is not spent yet.
    (.holding, 8_999_250_000, answer("retry_later", "disconnected", 5000)),
    (.holding, 8_999_250_001, answer("retry_later", "insufficient_liquidity", 5000)),
    (.atTheEnd, 8_999_300_000, answer("retry_later", "disconnected", 1000)),
    (.atTheEnd, 8_999_300_001, answer("retry_later", "insufficient_liquidity", 5000)),
    (.atTheEnd, 8_999_700_000, answer("retry_later", "insufficient_liquidity", 5000)),
    (.atTheEnd, 8_999_700_001, answer("do_not_retry", "insufficient_liquidity")),
  ]

  @Test func `A hint that agrees with the ledger of its moment is no finding, and every other one is`() throws
  {
    let answers = Set(Self.cases.map(\.2)).sorted()
    for (moment, amountMsat, right) in Self.cases {
      #expect(try findings(moment, amountMsat, right) == [], "\(moment) \(amountMsat) \(right)")
      // A wallet that is away may be on its way.
      let isAway = right.contains("retry_later\",\"reason\":\"disconnected")
      for wrong in answers where wrong != right && !(isAway && wrong.contains("_later\",\"reason\":\"disc")) {
        let found = try findings(moment, amountMsat, wrong)
        #expect(
          found.count == 1 && found[0].contains("where its ledger says"), "\(moment) \(amountMsat) \(wrong)")
      }
    }
  }

  @Test func `A delay outside of what the peer's table allows is found`() throws {
    for delay in [0, 999, 5001] as [Int64] {
      #expect(try findings(.holding, 5000, Self.answer("retry_later", "disconnected", delay)).count == 1)
    }
    #expect(try findings(.connected, 5000, Self.answer("retry_now", "unknown", 1001)).count == 1)
    #expect(try findings(.connected, 5000, Self.answer("retry_now", "unknown")).count == 1)
  }

  @Test func `To a node without a channel there is no route`() throws {
    let none = Self.answer("do_not_retry", "unknown")
    #expect(try findings(.connected, 5000, to: Self.stranger, none) == [])
    let now = Self.answer("retry_now", "unknown", 1000)
    #expect(try findings(.connected, 5000, to: Self.stranger, now).count == 1)
    #expect(try findings(.connected, 5000, none).count == 1)
  }

  @Test func `A failed channel takes no payment`() throws {
    let failed = """
      CREATE TABLE channel_failures(id INTEGER PRIMARY KEY, at_ns INTEGER, connection INTEGER, reason TEXT) STRICT;
      INSERT INTO channel_failures VALUES (1, 1, 1, 'you cheated');
      """
    let disabled = Self.answer("do_not_retry", "recipient_channel_disabled")
    #expect(try findings(.connected, 5000, disabled, sql: failed) == [])
    #expect(try findings(.connected, 5000, Self.answer("retry_now", "unknown", 1000), sql: failed).count == 1)
    #expect(try findings(.connected, 5000, disabled).count == 1)
  }

  @Test func `An error has no hint, and a hint answers a question`() throws {
    #expect(try findings(.connected, 0, "\"status\":400,\"error\":\"no amount\"") == [])
    #expect(try findings(.connected, 0, "\"status\":400").count == 1)
    #expect(try findings(.connected, 0, "\"status\":200,\"error\":\"no amount\"").count == 1)
    #expect(
      try findings(.connected, 5000, to: "02&more=1", Self.answer("do_not_retry", "unknown")).count == 1)
  }

  @Test func `A line that a kill has cut is no finding, and with other foreign lines there is no verdict`()
    throws
  {
    let run = try SampleStory.tell()
    let path = "\(run.home)/lsp/access.jsonl"
    try "{\"at_ns\":1,\"sta".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try !Judge.verdict(home: run.home).remarks.contains { $0.contains("access.jsonl") })
    try "noise\n".write(toFile: path, atomically: false, encoding: .utf8)
    let verdict = try Judge.verdict(home: run.home)
    #expect(
      verdict.exitCode == 74 && verdict.missing.contains { $0.sentence.contains("access.jsonl has lines") })
  }
}
