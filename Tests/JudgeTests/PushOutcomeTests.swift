import Testing

@testable import Judge
@testable import TestHomes

/// What the peer's ledger may say of a push.
@Suite("The end of a push") struct PushOutcomeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var outcome: String
    var attempts: Int
    var isOpen: Bool
    var wasTried = true
    /// There is one of the same reason and payment before it.
    var isSecond = true

    var testDescription: String { "\(outcome), \(attempts) attempts, \(isOpen ? "open" : "closed")" }
  }

  private func isDoubted(_ row: Row) throws -> Bool {
    let run = try SampleStory.tell()
    if row.isSecond {
      try run.ledger.execute(
        """
        INSERT INTO pushes(at_ns, reason, payment_hash, amount_msat, attempts, last_at_ns, outcome, is_open)
          SELECT at_ns, reason, payment_hash, amount_msat, attempts, last_at_ns, outcome, is_open
            FROM pushes ORDER BY id LIMIT 1
        """)
    }
    try run.ledger.execute(
      """
      UPDATE pushes SET outcome = ?, attempts = ?, is_open = ?, last_at_ns = \(row.wasTried ? "at_ns" : "NULL")
        WHERE id = (SELECT \(row.isSecond ? "max" : "min")(id) FROM pushes)
      """, [.text(row.outcome), .integer(Int64(row.attempts)), .integer(row.isOpen ? 1 : 0)])
    return try Judge.verdict(home: run.home).findings.contains { $0.sentence.contains("which no push is") }
  }

  @Test(
    "is believed",
    arguments: [
      Row(outcome: "asked", attempts: 0, isOpen: true, wasTried: false),
      Row(outcome: "delivered", attempts: 1, isOpen: false),
      Row(outcome: "no longer needed", attempts: 0, isOpen: false),
      Row(outcome: "one like it is on its way", attempts: 0, isOpen: false),
      Row(outcome: "one like it is on its way", attempts: 1, isOpen: false),
      Row(outcome: "iosd is not there", attempts: 1, isOpen: true),
      Row(outcome: "iosd refused: it is no push", attempts: 1, isOpen: true),
    ])
  func believed(_ row: Row) throws { #expect(try !isDoubted(row)) }

  @Test(
    "is not believed",
    arguments: [
      Row(outcome: "asked", attempts: 1, isOpen: true),
      Row(outcome: "delivered", attempts: 0, isOpen: false),
      Row(outcome: "delivered", attempts: 1, isOpen: true),
      Row(outcome: "no longer needed", attempts: 0, isOpen: true),
      Row(outcome: "one like it is on its way", attempts: 0, isOpen: true),
      Row(outcome: "one like it is on its way", attempts: 0, isOpen: false, wasTried: false),
      Row(outcome: "one like it is on its way", attempts: 0, isOpen: false, isSecond: false),
      Row(outcome: "iosd is not there", attempts: 0, isOpen: true),
      Row(outcome: "iosd refused: it is no push", attempts: 1, isOpen: false),
      Row(outcome: "forgotten", attempts: 1, isOpen: true),
    ])
  func doubted(_ row: Row) throws { #expect(try isDoubted(row)) }
}
