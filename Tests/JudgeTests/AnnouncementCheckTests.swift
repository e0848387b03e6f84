import Foundation
import Ground
import Testing

@testable import Judge
@testable import TestHomes

/// Which payments the user of a wallet whose extension only tells must be told of, and how often.
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
