import Testing

@testable import Judge

@Suite("A payment in parts, judged") struct PartTests {
  @Test("is in order when both parts came before the preimage left, and are one payment in the wallet")
  func whole() throws {
    let run = try SampleStory.tellInParts()
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings == [], "\(findings.map(\.sentence))")
  }

  @Test("breaks money when the preimage leaves for the first part alone")
  func early() throws {
    let run = try SampleStory.tellInParts(.early)
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.invariant == 3 && $0.sentence.contains("had 60000 of 100000 msat") })
  }

  @Test("breaks money when the wallet counts one part of it, or counts it twice")
  func counted() throws {
    for change in [
      "UPDATE received_payments SET amount_msat = 60000", "UPDATE received_payments SET amount_msat = 160000",
    ] {
      let run = try SampleStory.tellInParts()
      try run.wallet.execute(change)
      let findings = try Judge.verdict(home: run.home).findings
      #expect(findings.contains { $0.invariant == 3 && $0.sentence.contains("of all 2 parts") })
    }
  }

  @Test("breaks money when two payments of one hash do not belong together")
  func strangers() throws {
    let run = try SampleStory.tellInParts()
    try run.ledger.execute("UPDATE payments SET total_msat = 40000 WHERE id = 2")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.invariant == 3 && $0.sentence.contains("was paid 2 times") })
    #expect(
      findings.contains { $0.invariant == 3 && $0.sentence.contains("is not that of exactly one payment") })
  }
}
