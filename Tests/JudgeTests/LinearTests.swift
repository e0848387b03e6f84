import Testing

@testable import Judge
@testable import TestHomes

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
    #expect(verdict.counts.paid == 200)
    let looks = (short: try visits(of: short), long: try visits(of: long))
    #expect(looks.short > 0 && looks.long < 5 * looks.short, "\(looks)")
  }

  @Test
  func `The judge's reads grow linearly with rows that no other evidence knows`() throws {
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
