import Testing

@testable import Judge
@testable import TestHomes

@Suite("What a write says of itself")
struct WriteSummaryTests {
  @Test("is read, and added up") func read() throws {
    let summary = try #require(WriteSummary("channel revision 7, received 1, new invoice, received 2"))
    #expect(summary.revision == 7)
    #expect(summary.received == 3)
    #expect(summary.invoices == 1)
    #expect(!summary.isRestored)
    #expect(WriteSummary("channel revision 7, waiting 0")?.revision == 7)
    #expect(WriteSummary("waiting 1")?.revision == nil && WriteSummary("waiting 1") != nil)
    #expect(WriteSummary("restored from the peer's backup")?.isRestored == true)
    #expect(WriteSummary("channel failed by the peer") != nil)
  }

  @Test(
    "is no write's when it counts further than there are numbers, or below zero",
    arguments: [
      "received", "received -1", "received 9223372036854775808",
      "received 9223372036854775807, received 1",
      "channel revision x", "new invoices", "waiting", "waiting -1",
    ])
  func refused(text: String) { #expect(WriteSummary(text) == nil) }

  @Test("counts further than there are numbers: the judge goes on, and finds it") func judged() throws {
    let run = try SampleStory.tell()
    try run.wallet.execute(
      "UPDATE node_writes SET what = 'received 9223372036854775807, received 1' WHERE id = 1")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.sentence.hasPrefix("Node write 1 says") })
  }
}
