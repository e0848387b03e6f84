import Ground
import Testing

@testable import Terminal

@Suite("Signals that come more than once") struct RepeatedSignalsTests {
  private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  @Test("The same within a moment is one request, as `timeout` signals its child and then its group")
  func twice() {
    var signals = RepeatedSignals()
    let news = [1000, 1000, 1249, 1250].map { signals.isNew(.terminated, at: instant($0)) }
    #expect(news == [true, false, false, true], "counted from the first")
  }

  @Test("Another signal is a request of its own") func another() {
    var signals = RepeatedSignals()
    let news = [Interruption.interrupted, .quitByKey].map { signals.isNew($0, at: instant(1)) }
    #expect(news == [true, true])
  }
}
