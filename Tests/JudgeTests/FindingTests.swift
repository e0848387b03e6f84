import Foundation
import Testing

@testable import Judge
@testable import TestHomes

@Suite("Findings of the judge") struct FindingTests {
  @Test
  func `A payment that the wallet received twice is reported once, with both rows`() throws {
    let run = try SampleStory.tell()
    // Two rows of one hash, as a wallet without the table's unique constraint would have them.
    try run.wallet.executeAll(
      """
      CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB, amount_msat INTEGER,
        epoch INTEGER, received_wall_ns INTEGER) STRICT;
      INSERT INTO other SELECT * FROM received_payments;
      DROP TABLE received_payments;
      ALTER TABLE other RENAME TO received_payments;
      INSERT INTO received_payments (payment_hash, amount_msat, epoch, received_wall_ns)
        SELECT payment_hash, amount_msat, epoch, received_wall_ns FROM received_payments WHERE id = 1;
      """)
    let verdict = try Judge.verdict(home: run.home)
    let twice = verdict.findings.filter { $0.sentence.hasSuffix("is in the wallet 2 times") }
    #expect(twice.map(\.invariant.rawValue) == [3])
    #expect(
      twice.first?.rows.map(\.description) == [
        "node.sqlite received_payments 1", "node.sqlite received_payments 3",
      ])
    #expect(verdict.exitCode == 2)
  }

  @Test
  func `The verdict's text shows five findings of a kind, and all of them on request`() throws {
    let run = try SampleStory.tell()
    for number in 10..<30 {
      try run.wallet.execute(
        "INSERT INTO received_payments VALUES (?, ?, 1000, 2, 5)",
        [.integer(Int64(number)), .blob([UInt8(number)])])
    }
    let verdict = try Judge.verdict(home: run.home)
    let foreign = "no sender paid it"
    #expect(verdict.findings.count { $0.sentence.contains(foreign) } == 20)
    let few = verdict.text.components(separatedBy: "\n")
    #expect(few.count { $0.contains(foreign) } == 5)
    #expect(few.contains { $0.hasSuffix("and 15 more of this kind; --all shows them") })
    #expect(few.contains { $0.contains("[invariant 3 (each payment settles once, equal on both sides)]") })
    let all = verdict.text(showingAll: true).components(separatedBy: "\n")
    #expect(all.count { $0.contains(foreign) } == 20)
    #expect(!all.contains { $0.contains("more of this kind") })
    #expect(few.last { $0.hasPrefix("Verdict: ") } == all.last { $0.hasPrefix("Verdict: ") })
  }

  @Test func `Findings of one kind are grouped and repeated ones dropped`() {
    let finding = Finding(.claimGone, ["3"], at: [.journal("a", line: 1)])
    let like = Finding(.claimGone, ["4"], at: [.journal("b", line: 1)])
    let other = Finding(.fenceMissing, ["4"], at: [.journal("b", line: 1)])
    #expect(
      FindingGroup.all([finding, like, finding, other]).map(\.findings) == [[finding, like], [other]])
  }
}
