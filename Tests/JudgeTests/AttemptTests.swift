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
}
