import Testing

@testable import Judge
@testable import TestHomes

@Suite("The summary of a write")
struct WriteSummaryTests {
  @Test func `A write's summary is parsed`() throws {
    let text = "restored=1 revision=7 invoice=1 cancelled=1 received=3 offered=2 ended=4 waiting=0 failed=1"
    let summary = try #require(WriteSummary(text))
    #expect(summary.revision == 7 && summary.received == 3 && summary.offered == 2 && summary.ended == 4)
    #expect(summary.invoices == 1 && summary.cancelled == 1 && summary.isRestored)
    let nothing = try #require(WriteSummary(""))
    #expect(nothing.revision == nil && nothing.received == 0 && !nothing.isRestored)
  }

  @Test(
    arguments: [
      "received=", "received=-1", "received=9223372036854775808",
      "revision=x", "invoices=1", "invoice=2", "waiting", "waiting=-1", "offered=0", "revision=7  received=1",
      "received", "received -1", "received 9223372036854775808",
      "channel revision 7", "new invoice", "waiting -1", "revision=7, received=1",
    ])
  func `A count that is missing, negative, too large or misspelled makes the summary invalid`(text: String) {
    #expect(WriteSummary(text) == nil)
  }

  @Test func `The judge reports a write whose count overflows`() throws {
    let run = try SampleStory.tell()
    try run.wallet.execute(
      "UPDATE node_writes SET what = 'received=9223372036854775808' WHERE id = 1")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.sentence.hasPrefix("Node write 1 has") })
  }
}
