import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("Payments received soon after their push") struct AnnouncedPaymentsTests {
  private func seconds(_ count: Double) -> Int64 { Int64(count * 1_000_000_000) }

  /// Five payments: received at once, late, never, by its second push, and of a push that was not delivered.
  @Test func `B-M.5 A payment counts as received in time within 15 s of one of its delivered pushes`() throws
  {
    let run = try SampleRun()
    try run.ledger.executeAll(
      """
      INSERT INTO pushes (at_ns, reason, payment_hash, attempts, last_at_ns, outcome, is_open) VALUES
        (0, '', x'01', 1, \(seconds(1)), 'delivered', 0), (0, '', x'02', 1, 0, 'delivered', 0),
        (0, '', x'03', 1, 0, 'delivered', 0), (0, '', x'04', 1, 0, 'delivered', 0),
        (\(seconds(30)), '', x'04', 1, \(seconds(30)), 'delivered', 0), (0, '', x'05', 1, 0, 'iosd-away', 1),
        (0, '', NULL, 1, 0, 'delivered', 0);
      INSERT INTO payments (payment_hash, amount_msat, state, requested_at_ns, settled_at_ns) VALUES
        (x'01', 1, 'paid', 0, \(seconds(16))), (x'02', 1, 'paid', 0, \(seconds(15.1))),
        (x'03', 1, 'failed', 0, \(seconds(1))), (x'04', 1, 'failed', 0, \(seconds(20))),
        (x'04', 1, 'paid', 0, \(seconds(31))), (x'05', 1, 'paid', 0, \(seconds(1)));
      """)
    let found = try AnnouncedPayments(home: run.home, boundNs: seconds(15))
    #expect(found?.count == 4 && found?.receivedInTime == 2)
  }

  @Test func `A home without a ledger announces nothing`() throws {
    #expect(try AnnouncedPayments(home: "/nowhere", boundNs: 1) == nil)
  }
}
