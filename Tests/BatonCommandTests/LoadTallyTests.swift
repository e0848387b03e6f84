import Lightning

@testable import Baton

@Suite("What --count counts") struct LoadTallyTests {
  private static let failed = SenderReport.failed(
    SenderFailure(
      failure: .temporaryChannelFailure, code: FailureCode(rawValue: 0x1007), attempts: 2,
      end: .noMoreAttempts))
  private static let away = SenderReport.failed(
    SenderFailure(
      failure: .routeNotFound, code: nil, notSent: .notRunning, attempts: 1, end: .noMoreAttempts))

  /// By hand: of n sorted times the percentile p is the time at place ceil(n * p / 100).
  @Test func `A percentile is the nearest rank: the smallest time that at least that share does not exceed`()
  {
    func milliseconds(_ spans: [Int64]) -> [Int64] {
      let spans = SpanPercentiles(spans.map { .milliseconds($0) })
      return [50, 95, 99, 100].map { spans[$0].wholeMilliseconds }
    }
    expect(milliseconds((1...100).reversed()), is: [50, 95, 99, 100])
    expect(milliseconds(Array(1...1000)), is: [500, 950, 990, 1000])
    expect(milliseconds([15, 20, 35, 40, 50]), is: [35, 50, 50, 50])
    expect(milliseconds([3, 6, 7, 8, 8, 10, 13, 15, 16, 20]), is: [8, 20, 20, 20])
    expect(milliseconds([7]), is: [7, 7, 7, 7])
    expect(milliseconds([2, 1]), is: [1, 2, 2, 2])
    expect(milliseconds([]), is: [0, 0, 0, 0])
    let hundred = SpanPercentiles((1...100).map { .milliseconds($0) })
    #expect(hundred.count == 100 && hundred[0] == .milliseconds(1) && hundred[-5] == .milliseconds(1))
    #expect(hundred[500] == .milliseconds(100) && hundred[90] == .milliseconds(90))
    expect(hundred.sentence, is: "median 50 ms, 95th percentile 95 ms, 99th percentile 99 ms, maximum 100 ms")
  }

  @Test func `Each payment is counted once, and the failures by their sentences`() {
    var tally = LoadTally(count: 9)
    for _ in 0..<8 { tally.begin() }
    tally.end(.settled, attempts: 1, after: .milliseconds(5))
    tally.end(Self.away, attempts: 1, after: .zero)
    for _ in 0..<2 { tally.end(Self.failed, attempts: 2, after: .zero) }
    tally.end(.pending, attempts: 1, after: .seconds(12))
    tally.end(.alreadyPending, attempts: 1, after: .zero)
    tally.end(.alreadyPaid, attempts: 1, after: .zero)
    expect(tally.counts, is: "1 settled, 4 failed, 2 pending, 1 under way, 1 not begun")
    #expect(!tally.isOver && tally.attempts == 9 && tally.settled == [.milliseconds(5)])
    expect(tally.failures.map(\.payments), is: [2, 1, 1])
    expect(tally.failures[0].sentence, is: "failed with temporary_channel_failure (0x1007)")
    #expect(tally.failures[1].sentence.contains("lspd of this phone does not run"))
    tally.begin()
    for _ in 0..<2 { tally.end(.refused("no"), attempts: 1, after: .zero) }
    #expect(tally.isOver && tally.counts == "1 settled, 6 failed, 2 pending" && tally.refusal == "no")
  }
}
