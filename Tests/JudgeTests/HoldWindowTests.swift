import Foundation
import Testing

@testable import Judge
@testable import TestHomes

/// The judge and the ends of holds. In the sample, payment 4 fails as its hold of 60 s ends.
@Suite("The judge and the holds of payments") struct HoldWindowTests {
  private static let orders = """
    CREATE TABLE ordered_failures(
      id INTEGER PRIMARY KEY AUTOINCREMENT, at_ns INTEGER, code INTEGER, times INTEGER, left INTEGER) STRICT;
    """
  private static let fail =
    "UPDATE payments SET failure = 'on-order', failure_code = 4108 WHERE id = 4;"

  private func sentences(_ sql: String) throws -> [String] {
    let run = try SampleStory.tell()
    // The story's first payments come right after the peer's start.
    try run.ledger.executeAll("UPDATE runs SET started_at_ns = 1;" + sql)
    return try Judge.verdict(home: run.home).findings.filter { $0.invariant == 3 }.map(\.sentence)
  }

  @Test(arguments: [
    // It failed, it was offered, and it still waits while a newer payment is handled.
    "UPDATE payments SET hold_until_ns = settled_at_ns - 6000000000 WHERE id = 4",
    "UPDATE payments SET hold_until_ns = offered_at_ns - 6000000000 WHERE id = 2",
    """
    INSERT INTO payments (id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, held_at_ns)
      SELECT 9, x'0909090909090909090909090909090909090909090909090909090909090909', 1000, 'held', settled_at_ns - 9000000000,
        settled_at_ns - 6000000000, settled_at_ns - 9000000000 FROM payments WHERE id = 4
    """,
  ])
  func `A payment that waits beyond its hold is found`(_ sql: String) throws {
    let said = try sentences(sql)
    #expect(said.count == 1 && said[0].contains(" held 6000 ms longer than its sender was told"), "\(said)")
  }

  @Test(arguments: [
    "UPDATE payments SET hold_until_ns = settled_at_ns - 4000000000 WHERE id = 4",
    // The peer was down when the hold ended.
    """
    UPDATE payments SET hold_until_ns = settled_at_ns - 30000000000 WHERE id = 4;
    INSERT INTO runs(started_at_ns, started_wall_ns, pid, legacy)
      SELECT settled_at_ns - 1000000, 1, 10, 0 FROM payments WHERE id = 4;
    """,
    // The machine was restarted, and its clock.
    "UPDATE payments SET settled_at_ns = 5, hold_until_ns = requested_at_ns + 1 WHERE id = 4",
  ])
  func `A late timer, a peer that was down and a restarted machine are no findings`(_ sql: String) throws {
    #expect(try sentences(sql) == [])
  }

  /// Payment 4 was held 6 s beyond its hold; of the last of these seconds the peer says that it was late.
  private func sentences(lateSeconds: Int64, in journal: (SampleRun) -> TestJournal) throws -> [String] {
    let run = try SampleStory.tell()
    try run.ledger.executeAll(
      "UPDATE payments SET hold_until_ns = settled_at_ns - 6000000000 WHERE id = 4")
    journal(run).late(since: run.stamp - lateSeconds * 1_000_000_000, at: run.stamp)
    try run.finish()
    return try Judge.verdict(home: run.home).findings.filter { $0.invariant == 3 }.map(\.sentence)
  }

  @Test func `A peer that was stopped while a hold ended is not at fault, and its own journal must say so`()
    throws
  {
    #expect(try sentences(lateSeconds: 6) { $0.peer } == [])
    #expect(try sentences(lateSeconds: 60) { $0.peer } == [])
    // Less than five seconds are left, as much as a timer may be late.
    #expect(try sentences(lateSeconds: 2) { $0.peer } == [])
    #expect(try sentences(lateSeconds: 6) { $0.phone }.count == 1)
  }

  @Test func `Two notes of one time count once`() throws {
    let run = try SampleStory.tell()
    try run.ledger.executeAll(
      "UPDATE payments SET hold_until_ns = settled_at_ns - 9000000000 WHERE id = 4")
    for seconds in [3, 2, 3] as [Int64] {
      run.peer.late(since: run.stamp - seconds * 1_000_000_000, at: run.stamp)
    }
    try run.finish()
    let said = try Judge.verdict(home: run.home).findings.filter { $0.invariant == 3 }.map(\.sentence)
    #expect(said.count == 1 && said[0].contains(" held 6007 ms longer "), "\(said)")
  }

  @Test func `Of a peer that was stopped the time in which it ran counts`() throws {
    let run = try SampleStory.tell()
    try run.ledger.executeAll(
      "UPDATE payments SET hold_until_ns = settled_at_ns - 8000000000 WHERE id = 4")
    run.peer.late(since: run.stamp - 2_000_000_000, at: run.stamp)
    try run.finish()
    let said = try Judge.verdict(home: run.home).findings.filter { $0.invariant == 3 }.map(\.sentence)
    #expect(said.count == 1 && said[0].contains(" held 6007 ms longer "), "\(said)")
  }

  @Test func `A payment that fails without the wallet before its hold ends, or with another code, is found`()
    throws
  {
    #expect(
      try sentences("UPDATE payments SET hold_until_ns = settled_at_ns + 2000000 WHERE id = 4")
        == ["Payment 4 failed without the wallet 2 ms before its hold ended"])
    #expect(
      try sentences("UPDATE payments SET failure_code = 4108 WHERE id = 4")
        == ["Payment 4 failed without the wallet with code 4108 in place of temporary_channel_failure"])
  }

  @Test func `Each failure on order is of an order that counts it`() throws {
    let given = "INSERT INTO ordered_failures(at_ns, code, times, left)"
    #expect(try sentences(Self.orders + Self.fail + "\(given) VALUES (1, 4108, 2, 1)") == [])
    let unordered = ["Payment 4 failed by an order that the ledger does not have"]
    #expect(try sentences(Self.fail) == unordered)
    #expect(try sentences(Self.orders + Self.fail) == unordered)
    #expect(try sentences(Self.orders + Self.fail + "\(given) VALUES (1, 4099, 2, 2)") == unordered)
    for (times, left) in [(2, 2), (2, 0)] {
      #expect(
        try sentences(Self.orders + Self.fail + "\(given) VALUES (1, 4108, \(times), \(left))")
          == ["Of the order of \(times) failures \(left) are left, and 1 payments failed by it"])
    }
  }
}
