import Testing
import Timeline

@testable import Lab

@Suite("baton report") struct CampaignReportTests {
  private func merge(_ results: [SeedResult]) throws -> ResultMerge {
    var merge = ResultMerge()
    try merge.add(Array(results.map { $0.line + "\n" }.joined().utf8), named: "results")
    return merge
  }

  private func result(_ seed: UInt64, _ sentence: String? = nil) -> SeedResult {
    var result = SeedResult(seed: seed)
    result.events = seed
    result.sentence = sentence
    result.verdict = sentence == nil ? .sound : .broken
    return result
  }

  @Test func `The page has each violation with its command and timeline, and which seeds are missing`() throws
  {
    let merge = try merge([result(1), result(2, "One process at a time uses the node. Epoch 7."), result(4)])
    let report = CampaignReport(merge, of: SeedRange(1, 5))
    let page = report.page(links: [2: "seed-2.html"])
    #expect(!page.isSound)
    #expect(page.verdict == "1 seed of 3 broke an invariant")
    #expect(page.coverage.map(\.missing) == [0, 0, 1, 0, 1])
    #expect(page.coverage.map(\.broken) == [0, 1, 0, 0, 0])
    #expect(page.distributions.first?.values == [1, 2, 4])
    #expect(page.html.contains("<a href=\"seed-2.html\">timeline</a> <code>baton replay --seed 2</code>"))
  }

  @Test func `A campaign without a violation and without missing seeds is sound`() throws {
    let page = CampaignReport(try merge([result(7), result(8)]), of: nil).page()
    #expect(page.isSound)
    #expect(page.verdict == "no invariant broke in 2 seeds")
  }

  @Test func `A large range is shown in at most 200 parts, which cover it`() throws {
    let pieces = CampaignReport(try merge([result(100_000)]), of: SeedRange(1, 100_000)).page().coverage
    #expect(pieces.count <= 200)
    #expect(pieces.reduce(0) { $0 + $1.missing + $1.sound } == 100_000)
    #expect(pieces.last?.last == 100_000)
  }

  @Test func `The page is without a script, and text of results is text`() throws {
    let html = CampaignReport(try merge([result(1, "<script>alert(1)</script>")]), of: nil).page().html
    #expect(!html.contains("<script"))
    #expect(html.contains("&lt;script&gt;"))
    #expect(html.contains("default-src 'none'"))
  }
}
