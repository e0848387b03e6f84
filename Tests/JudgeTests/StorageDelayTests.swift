import Testing

@testable import Judge
@testable import TestHomes

/// A ledger of a peer that stores backups at most once in a time.
@Suite("A peer with a storage delay") struct StorageDelayTests {
  @Test func `A backup may be missing only where the peer stores them with a delay`() throws {
    for (delayNs, isFound) in [(0, true), (3_600_000_000_000, false)] as [(Int64, Bool)] {
      for revision in ["1", "2", "(SELECT max(revision) FROM backups)"] {
        let run = try SampleStory.tell()
        try run.ledger.executeAll(
          """
          UPDATE runs SET storage_delay_ns = \(delayNs);
          DELETE FROM backups WHERE revision = \(revision);
          """)
        let found = try Judge.verdict(home: run.home).findings.map(\.sentence)
        #expect(found.contains { $0.contains("backups are not those") } == isFound, "\(revision) \(found)")
      }
    }
  }
}
