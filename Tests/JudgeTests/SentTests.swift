import Testing

@testable import Judge
@testable import TestHomes

@Suite("The verdict on an outgoing payment") struct SentTests {
  @Test func `The run is sound when the payment was sent once and arrived, and both tables agree`() throws {
    let run = try SampleStory.tellOfSending()
    let verdict = try Judge.verdict(home: run.home)
    #expect(verdict.findings == [], "\(verdict.findings.map(\.sentence))")
    #expect(verdict.counts.sent == 1 && verdict.counts.sentPaid == 1)
  }

  enum Place { case wallet, ledger }

  @Test(
    arguments: [
      (
        Place.ledger, "UPDATE external_invoices SET htlc = NULL, paid_at_ns = NULL", 3,
        "paid, but its recipient was not paid"
      ),
      (.ledger, "UPDATE external_invoices SET htlc = 7", 3, "the wallet has 0 payments of it"),
      (
        .wallet, "UPDATE outgoing_payments SET state = 'failed', preimage = NULL, failure_code = 16399", 3,
        "failed, but its recipient was paid"
      ),
      (
        .wallet,
        "UPDATE outgoing_payments SET state = 'pending', preimage = NULL, ended_epoch = NULL, ended_wall_ns = NULL",
        3, "but its row differs"
      ),
      (
        .wallet, "UPDATE outgoing_payments SET state = 'failed'", 3,
        "another column of its row contradicts that state"
      ),
      (.wallet, "UPDATE outgoing_payments SET preimage = x'01'", 3, "with a preimage of another hash"),
      (
        .wallet, "UPDATE outgoing_payments SET amount_msat = 49000", 3,
        "does not belong to exactly one payment"
      ),
      (.wallet, "DELETE FROM outgoing_payments", 3, "the wallet has 0 payments of it"),
      (.wallet, "DELETE FROM outgoing_payments", 3, "but the wallet has no row of it"),
      (.wallet, "UPDATE outgoing_payments SET id = 2", 4, "before row 2 of outgoing_payments"),
      (
        .wallet, "DELETE FROM outgoing_payments", 4,
        "began 1 payments and ended 1, but its table has 0 rows, 0 of them ended"
      ),
      (
        .wallet,
        "INSERT INTO outgoing_payments SELECT 2, payment_hash, amount_msat, payment_secret, htlc, state, preimage, failure_code, begun_epoch, begun_wall_ns, ended_epoch, ended_wall_ns FROM outgoing_payments",
        3, "has paid one invoice 2 times"
      ),
      (
        .wallet, "UPDATE node_writes SET what = replace(what, ' ended=1', '')", 4,
        "began 1 payments and ended 0"
      ),
    ])
  func
    `A payment table that contradicts the other table, the frames, a journal or the wallet's writes is reported`(
      place: Place, change: String, invariant: Int, words: String
    ) throws
  {
    let run = try SampleStory.tellOfSending()
    try (place == .wallet ? run.wallet : run.ledger).execute(change)
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(findings.map { "\($0.invariant.rawValue) \($0.sentence)" })")
  }

  @Test
  func
    `A payment that the wallet has as paid, but whose fulfilment the peer never signed for, violates invariant 3`()
    throws
  {
    let run = try SampleStory.tellOfSending()
    // The frame with the preimage becomes an update_fail_htlc.
    let fulfil = WireBytes.fulfil(0, preimage: SampleStory.externalPreimage)
    let fail = [0, 131] + WireBytes.channel + WireBytes.number(0, 8) + [0, 2, 0x40, 0x0F] as [UInt8]
    try run.ledger.execute("UPDATE frames SET bytes = ? WHERE bytes = ?", [.blob(fail), .blob(fulfil)])
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("the peer never signed for its fulfilment")
      }, "\(findings.map(\.sentence))")
  }
}
