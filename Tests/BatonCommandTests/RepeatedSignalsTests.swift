@testable import Baton

@Suite("Repeated signals", .waits) struct RepeatedSignalsTests {
  private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test
  func
    `The same signal twice within 250 ms is one request to end: timeout(1) signals its child and its group`()
  {
    var signals = RepeatedSignals()
    let news = [1000, 1000, 1249, 1250].map { signals.isNew(.terminated, at: instant($0)) }
    expect(news, is: [true, false, false, true], "the interval counts from the first")
  }

  @Test func `A different signal within 250 ms is a new request to end`() {
    var signals = RepeatedSignals()
    let news = [Interruption.interrupted, .quitByKey].map { signals.isNew($0, at: instant(1)) }
    expect(news, is: [true, true])
  }
}
