import Foundation
import Ground
import Testing

@testable import Judge
@testable import TestHomes

/// Which payments the user of a wallet whose extension only notifies must be told of, and how often.
@Suite("The judge and announcements") struct AnnouncementCheckTests {
  private func sentences(_ change: (SampleRun) throws -> Void) throws -> [String] {
    let run = try SampleStory.tellOfTelling()
    try change(run)
    return try Judge.verdict(home: run.home).findings.filter { $0.invariant == 5 }.map(\.sentence)
  }

  /// The sender of the missed payment 2 tries again 10 s after it has failed; the alert of before was repeated shortly
  /// before its end.
  private static let retry = """
    INSERT INTO pushes (id, at_ns, reason, payment_hash, amount_msat, attempts, outcome, is_open, kind, payment)
      SELECT id + 2, (SELECT settled_at_ns FROM payments WHERE id = 2) - 1000000000, reason, payment_hash, amount_msat,
        attempts, outcome, is_open, kind, payment FROM pushes WHERE id IN (3, 4) ORDER BY id;
    INSERT INTO payments (id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, held_at_ns,
        settled_at_ns, failure_code, failure)
      SELECT 3, payment_hash, amount_msat, state, settled_at_ns + 10000000000, settled_at_ns + 20000000000,
        settled_at_ns + 10000000000, settled_at_ns + 20000000000, failure_code, failure FROM payments WHERE id = 2;
    """

  private func isUntold(_ id: Int, in sentences: [String]) -> Bool {
    sentences.contains { $0.hasPrefix("Payment \(id) waited for the wallet") }
  }

  @Test func `An alert of an attempt that had ended does not announce the next attempt`() throws {
    #expect(isUntold(3, in: try sentences { try $0.ledger.executeAll(Self.retry) }))
    let told = try sentences { run in
      try run.ledger.executeAll(Self.retry)
      try run.ledger.executeAll(
        """
        INSERT INTO pushes (id, at_ns, reason, payment_hash, amount_msat, attempts, outcome, is_open, kind, payment)
          SELECT id + 4, (SELECT requested_at_ns FROM payments WHERE id = 3), reason, payment_hash, amount_msat, attempts,
            outcome, is_open, kind, 3 FROM pushes WHERE id IN (3, 4) ORDER BY id
        """)
    }
    #expect(!isUntold(3, in: told))
  }

  @Test func `An alert for an earlier part that still waits announces a further part too`() throws {
    let told = try sentences { run in
      try run.ledger.executeAll(Self.retry)
      try run.ledger.executeAll(
        "UPDATE payments SET settled_at_ns = settled_at_ns + 30000000000 WHERE id = 2")
    }
    #expect(!isUntold(3, in: told))
  }

  @Test func `An alert that comes only after the end of a payment does not announce it`() throws {
    let untold = try sentences {
      try $0.ledger.executeAll(
        "UPDATE pushes SET at_ns = (SELECT settled_at_ns FROM payments WHERE id = 2) + 1 WHERE payment = 2")
    }
    #expect(isUntold(2, in: untold))
  }

  /// Offered on connection 2, and never settled.
  private static let offered = """
    INSERT INTO payments (id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, offered_at_ns, htlc)
      SELECT 3, zeroblob(32), 1000, 'offered', judged_at_ns + 1, judged_at_ns + 1, judged_at_ns + 1, 7
        FROM connections WHERE id = 2;
    """

  @Test func `A payment in the channel when the last connection closes must be announced by the call-back`()
    throws
  {
    #expect(isUntold(3, in: try sentences { try $0.ledger.executeAll(Self.offered) }))
    for (offset, isUntold) in [(2_000_000_000, false), (-1, true)] as [(Int, Bool)] {
      let told = try sentences { run in
        try run.ledger.executeAll(Self.offered)
        try run.ledger.executeAll(
          """
          INSERT INTO pushes (id, at_ns, reason, payment_hash, amount_msat, attempts, outcome, is_open, kind, payment)
            SELECT 5 + (kind = 'alert'), (SELECT closed_at_ns FROM connections WHERE id = 2) + \(offset), reason,
              zeroblob(32), 1000, attempts, outcome, is_open, kind, 3 FROM pushes WHERE id IN (3, 4) ORDER BY id
          """)
      }
      #expect(self.isUntold(3, in: told) == isUntold, "\(offset)")
    }
  }

  @Test func `No call-back is missed before its time, nor by a peer that was stopped or sends other pushes`()
    throws
  {
    // The next connection comes first.
    let early = try sentences { run in
      try run.ledger.executeAll(Self.offered)
      try run.ledger.executeAll(
        "UPDATE connections SET judged_at_ns = (SELECT closed_at_ns FROM connections WHERE id = 2) + 3000000000 WHERE id = 3"
      )
    }
    #expect(!isUntold(3, in: early))
    let phoenix = try sentences { run in
      try run.ledger.executeAll(Self.offered)
      try run.ledger.executeAll("UPDATE runs SET push_form = 'phoenix'")
    }
    #expect(!isUntold(3, in: phoenix))
  }

  /// As many as that come before payment 900 in the channel, all without an alert when the last connection closes.
  private static func crowd(_ count: Int) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO payments (id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, offered_at_ns, htlc)
      SELECT 100 + i, CAST('crowd ' || i AS BLOB), 1000, 'offered', judged_at_ns + 1, judged_at_ns + 1, judged_at_ns + 1,
        100 + i FROM n, connections c WHERE c.id = 2;
    INSERT INTO payments (id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, offered_at_ns, htlc)
      SELECT 900, zeroblob(32), 1000, 'offered', judged_at_ns + 1, judged_at_ns + 1, judged_at_ns + 1, 900
        FROM connections WHERE id = 2;
    """
  }

  /// The next connection comes then after the last one, and before it no push of the payments.
  private static func back(afterMs span: Int64) -> String {
    """
    UPDATE connections SET judged_at_ns = (SELECT closed_at_ns FROM connections WHERE id = 2) + \(span * 1_000_000)
      WHERE id = 3;
    """
  }

  /// 2 s of pause, and 5 s that a timer may be late.
  private static let boundMs: Int64 = 7000

  @Test(arguments: [(15, 0), (16, 1), (31, 1), (32, 2), (99, 6)])
  func `Behind other payments the call-back has 2 s more for each batch of 16`(
    _ others: Int, _ batches: Int64
  )
    throws
  {
    for (moreMs, isFound) in [(0, false), (1, true)] as [(Int64, Bool)] {
      let found = try sentences { run in
        try run.ledger.executeAll(Self.crowd(others))
        try run.ledger.executeAll(Self.back(afterMs: Self.boundMs + batches * 2000 + moreMs))
      }
      #expect(isUntold(900, in: found) == isFound, "\(moreMs)")
      // The oldest one is in the first batch.
      #expect(isUntold(101, in: found) == (batches > 0 || isFound))
    }
  }

  @Test func `The parts of one payment count once among those that are announced before`() throws {
    let found = try sentences { run in
      try run.ledger.executeAll(Self.crowd(40))
      try run.ledger.executeAll(
        "UPDATE payments SET payment_hash = CAST('parts' AS BLOB) WHERE id BETWEEN 101 AND 140")
      try run.ledger.executeAll(Self.back(afterMs: Self.boundMs + 1))
    }
    #expect(isUntold(900, in: found))
  }

  @Test func `A peer that was late with its first batch is so with those that follow`() throws {
    for (lateMs, isFound) in [(3000, true), (3001, false)] as [(Int64, Bool)] {
      let found = try sentences { run in
        try run.ledger.executeAll(Self.crowd(99))
        try run.ledger.executeAll(Self.back(afterMs: Self.boundMs + 6 * 2000 + 3000 + 1))
        let closed = try run.ledger.rows("SELECT closed_at_ns FROM connections WHERE id = 2")
        guard case .integer(let closedNs)? = closed.first?.first else { return }
        let due = closedNs + 2_000_000_000
        run.peer.late(since: due, at: due + lateMs * 1_000_000)
        run.peer.end(at: due + lateMs * 1_000_000)
        try run.peer.write(to: "\(run.home)/journal")
      }
      #expect(isUntold(900, in: found) == isFound, "\(lateMs)")
    }
  }

  @Test func `Of a ledger that several lspd share no call-back is demanded: a lease may have changed hands`()
    throws
  {
    let shared = try sentences { run in
      try run.ledger.executeAll(Self.offered)
      try run.ledger.executeAll("CREATE TABLE leases(wallet INTEGER PRIMARY KEY, run INTEGER, epoch INTEGER)")
    }
    #expect(!isUntold(3, in: shared))
    // The alert at its request is the accepting lspd's own.
    let missed = try sentences { run in
      try run.ledger.executeAll("CREATE TABLE leases(wallet INTEGER PRIMARY KEY, run INTEGER, epoch INTEGER)")
      try run.ledger.executeAll("DELETE FROM pushes WHERE payment = 2")
    }
    #expect(isUntold(2, in: missed))
  }

  // MARK: What the user sees

  private func key(_ what: String, _ hash: [UInt8]) -> String {
    Hexadecimal.encode(WireBytes.sha256(Array("\(what) of payment ".utf8) + hash))
  }

  private func doubled(_ rows: (String, String) -> [String]) throws -> [String] {
    let keys = (key("announcement", SampleStory.missed), key("notification", SampleStory.missed))
    return try sentences { run in
      let file = try #require(FileHandle(forWritingAtPath: "\(run.home)/os/notifications.jsonl"))
      try file.seekToEnd()
      for row in rows(keys.0, keys.1) { try file.write(contentsOf: Data("\(row)\n".utf8)) }
      try file.close()
    }.filter { $0.contains("tells of the same payment") }
  }

  private func row(_ id: Int, _ key: String, _ more: String = "") -> String {
    "{\"id\":\(id),\"source\":\"local\",\"title\":\"a\",\"body\":\"b\",\"key\":\"\(key)\"\(more)}"
  }

  @Test func `Two notifications of one payment at once violate invariant 5`() throws {
    let twice = "Notification 8 tells of the same payment as notification 7, which is still there"
    #expect(try doubled { announced, _ in [row(7, announced), row(8, announced)] } == [twice])
    #expect(try doubled { _, received in [row(7, received), row(8, received)] } == [twice])
    #expect(try doubled { announced, received in [row(7, announced), row(8, received)] } == [twice])
    for gone in [",\"withdrawn\":true", ",\"answer\":\"default\""] {
      #expect(
        try doubled { announced, received in
          [
            row(7, announced), row(7, announced, gone), row(8, announced), row(8, announced, gone),
            row(9, received),
          ]
        } == [])
    }
    #expect(
      try doubled { announced, received in [row(7, received), row(8, announced)] } == [],
      "the extension cannot know of the receipt")
    #expect(try doubled { announced, _ in [row(7, announced), row(7 + 256, announced)] } == [])
  }
}
