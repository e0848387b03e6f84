import Testing

@testable import Judge
@testable import TestHomes

/// Several attempts at one payment.
@Suite("The verdict on a sender's attempts") struct AttemptTests {
  /// A failed attempt of the hash of the first paid payment, begun this long after that payment's end.
  private func findings(begunNs: Int64) throws -> [String] {
    let run = try SampleStory.tell()
    try run.ledger.execute(
      """
      INSERT INTO payments(id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, settled_at_ns,
        failure_code, failure, payment_secret, total_msat)
      SELECT 900, payment_hash, amount_msat, 'failed', settled_at_ns + (\(begunNs)), hold_until_ns,
        settled_at_ns + 5000, 4103, 'recipient-away', payment_secret, total_msat
      FROM payments WHERE state = 'paid' ORDER BY id LIMIT 1
      """)
    return try Judge.verdict(home: run.home).findings.filter { $0.invariant == 3 }.map(\.sentence)
  }

  private static let sentence = "was requested while another of its hash was pending"

  @Test func `K-12 An attempt that begins before the earlier one has ended violates invariant 3`() throws {
    #expect(try findings(begunNs: -1).contains { $0.contains(Self.sentence) })
  }

  @Test func `An attempt that begins when the earlier one has ended is no second one`() throws {
    for begunNs in [0, 1000] as [Int64] {
      #expect(try !findings(begunNs: begunNs).contains { $0.contains(Self.sentence) })
    }
  }

  @Test func `Parts that are pending together are no second attempt, unless they exceed their total`() throws
  {
    let run = try SampleStory.tellInParts()
    #expect(try Judge.verdict(home: run.home).findings.isEmpty)
    try run.ledger.execute("UPDATE payments SET amount_msat = amount_msat + 1 WHERE id = 2")
    #expect(try Judge.verdict(home: run.home).findings.contains { $0.sentence.contains(Self.sentence) })
  }

  // MARK: Counted attempts

  /// Payment 4 as attempt 1, which fails with this code, and attempt 2 this long after its end; in between the peer
  /// has answered so.
  private func second(
    afterMs: Int64, code: Int64 = 0x1007, heard: String? = nil, amountMsat: Int64 = 50_000
  ) throws -> [String] {
    let run = try SampleStory.tell()
    try run.ledger.executeAll(
      """
      ALTER TABLE payments ADD COLUMN attempt INTEGER;
      UPDATE payments SET attempt = 1, failure = 'refused', failure_code = \(code),
        requested_at_ns = settled_at_ns - 1000000 WHERE id = 4;
      INSERT INTO payments(id, payment_hash, amount_msat, state, requested_at_ns, settled_at_ns, failure_code, failure,
        attempt)
      SELECT 5, payment_hash, amount_msat, 'failed', settled_at_ns + \(afterMs * 1_000_000),
        settled_at_ns + \(afterMs * 1_000_000 + 1), 4103, 'recipient-away', 2 FROM payments WHERE id = 4;
      """)
    if let heard {
      let ledger = try EvidenceCollector(home: run.home).collect { _ in }.ledger
      let atNs = (ledger.payments[3].settledNs ?? 0) + 1000
      let line =
        "{\"at_ns\":\(atNs),\"status\":200,\"target\":\"/lsp/forwarding_hint?amount_msat=\(amountMsat)&recipient="
        + "\(WireBytes.hex(SampleRun.node))\",\(heard)}\n"
      try line.write(toFile: "\(run.home)/lsp/access.jsonl", atomically: false, encoding: .utf8)
    }
    return try Judge.verdict(home: run.home).findings.map(\.sentence).filter { $0.hasPrefix("Attempt 2") }
  }

  private static let later = #""hint":"retry_later","reason":"disconnected","recommended_delay_ms":5000"#
  private static let never = #""hint":"do_not_retry","reason":"insufficient_liquidity""#

  @Test func `No attempt follows a failure that is final`() throws {
    for code in [0x400F, 0x4008, 0x6003, 0xC004, 0x100B, 0x0013] as [Int64] {
      #expect(try second(afterMs: 1200, code: code).count == 1, "\(code)")
    }
    for code in [0x1007, 0x2002, 0x400A, 0x100C, 0x1014] as [Int64] {
      #expect(try second(afterMs: 1200, code: code) == [], "\(code)")
    }
  }

  @Test func `An attempt waits as the peer has answered, or as a sender does that has heard nothing`() throws
  {
    #expect(try second(afterMs: 999, heard: Self.later).count == 1)
    #expect(try second(afterMs: 999, heard: Self.never).count == 1)
    // The answer may not have come in time.
    for heard in [Self.later, Self.never] { #expect(try second(afterMs: 1000, heard: heard) == []) }
    // Another server may have said so, or the question was another's.
    #expect(try second(afterMs: 200) == [])
    #expect(try second(afterMs: 200, heard: Self.never, amountMsat: 50_001) == [])
  }
}
