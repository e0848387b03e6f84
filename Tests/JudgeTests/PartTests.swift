import Testing

@testable import Judge
@testable import TestHomes

@Suite("The verdict on a payment in parts") struct PartTests {
  @Test
  func `The run is sound when the preimage follows both parts and the wallet has one payment`() throws {
    let run = try SampleStory.tellInParts()
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings == [], "\(findings.map(\.sentence))")
  }

  @Test
  func `A preimage released for the first part alone violates invariant 3`() throws {
    let run = try SampleStory.tellInParts(.early)
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains { $0.invariant == .paymentsOnce && $0.sentence.contains("had 60 sat of 100 sat") })
  }

  @Test
  func `A received amount of one part only, or with one part twice, violates invariant 3`() throws {
    for change in [
      "UPDATE received_payments SET amount_msat = 60000", "UPDATE received_payments SET amount_msat = 160000",
    ] {
      let run = try SampleStory.tellInParts()
      try run.wallet.execute(change)
      let findings = try Judge.verdict(home: run.home).findings
      #expect(findings.contains { $0.invariant == .paymentsOnce && $0.sentence.contains("for all 2 parts") })
    }
  }

  @Test
  func `A superfluous part of a payment is reported, in whatever order the parts came`() throws {
    for order in ["1, 60000, 40000", "60000, 1, 40000", "60000, 40000, 1"] {
      let run = try SampleStory.tellInParts()
      let amounts = order.split(separator: ", ")
      try run.ledger.execute(
        """
        INSERT INTO payments SELECT 3, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, held_at_ns,
          offered_at_ns, settled_at_ns, htlc, preimage, failure_code, failure, payment_secret, total_msat
        FROM payments WHERE id = 2
        """)
      for (index, amount) in amounts.enumerated() {
        try run.ledger.execute("UPDATE payments SET amount_msat = \(amount) WHERE id = \(index + 1)")
      }
      let findings = try Judge.verdict(home: run.home).findings
      #expect(findings.contains { $0.sentence.contains("was paid 3 times") }, "\(order)")
    }
  }

  @Test
  func `Parts with different totals violate invariant 3`() throws {
    let run = try SampleStory.tellInParts()
    try run.ledger.execute("UPDATE payments SET total_msat = 40000 WHERE id = 2")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.invariant == .paymentsOnce && $0.sentence.contains("was paid 2 times") })
    #expect(
      findings.contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("does not belong to exactly one payment")
      })
  }
}
