import Testing

@testable import Judge
@testable import TestHomes

/// A ledger of a peer that stores backups at most once in a time.
@Suite("A peer with a storage delay") struct StorageDelayTests {
  private let hour: Int64 = 3_600_000_000_000

  /// The verdict's sentences about backups.
  private func sentences(_ delayNs: Int64, _ change: String) throws -> [String] {
    let run = try SampleStory.tell()
    try run.ledger.execute("ALTER TABLE runs ADD COLUMN storage_delay_ns INTEGER NOT NULL DEFAULT 0")
    try run.ledger.execute("UPDATE runs SET storage_delay_ns = \(delayNs)")
    try run.ledger.execute(change)
    return try Judge.verdict(home: run.home).findings.map(\.sentence).filter { $0.contains("backup") }
  }

  private let lostLast = "DELETE FROM backups WHERE revision = (SELECT max(revision) FROM backups)"
  private func lost(_ revision: Int) -> String { "DELETE FROM backups WHERE revision = \(revision)" }

  @Test func `The last backup may be missing while the peer's delay is not over`() throws {
    #expect(try !sentences(hour, lostLast).contains { $0.contains("are not those") })
    #expect(try sentences(0, lostLast).contains { $0.contains("are not those") })
  }

  @Test func `A missing backup without a newer one within the delay is reported`() throws {
    #expect(try sentences(1, lost(2)).contains { $0.contains("are not those") })
    #expect(try !sentences(hour, lost(2)).contains { $0.contains("are not those") })
    #expect(
      try sentences(hour, lost(1)).contains { $0.contains("are not those") }, "the first is stored at once")
  }

  @Test func `A backup stored later than the delay allows is reported`() throws {
    let late = "UPDATE backups SET at_ns = at_ns + 1 WHERE revision = 1"
    #expect(try sentences(0, "SELECT 1").isEmpty)
    #expect(try sentences(0, late).contains { $0.contains("later than its --storage-delay") })
    #expect(try sentences(1, late).contains { $0.contains("later than its --storage-delay") })
  }

  @Test func `Backups stored sooner after each other than the delay allows are reported`() throws {
    #expect(try sentences(hour, "SELECT 1").contains { $0.contains("sooner after the one before") })
    #expect(try sentences(0, "SELECT 1").isEmpty)
  }

  @Test func `A returned backup that the peer had not stored by then is reported`() throws {
    let lostEarlier = "DELETE FROM backups WHERE revision < (SELECT max(revision) FROM backups)"
    #expect(try sentences(hour, lostEarlier).contains { $0.contains("another backup than the newest") })
  }
}
