import Ground
import Guardrails
import Testing

@testable import WalletProcess

@Suite("The pace at which presence is listened to") struct PresencePaceTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func word(_ epoch: UInt64) -> PresencePace.Event {
    .heard(PresenceMessage(code: .appPing, released: epoch))
  }

  @Test("A few words at once are heard at once, and what two healthy processes say always is")
  func calm() {
    var pace = PresencePace()
    for number in 0..<UInt64(PresencePace.burst) {
      let isHeard = pace.arrived(word(number), at: start)
      #expect(isHeard)
    }
    var now = start + .seconds(2)
    for number in 0..<100 as Range<UInt64> {
      let isHeard = pace.arrived(word(number), at: now)
      #expect(isHeard)
      now = now + PresencePace.interval
    }
    #expect(pace.skipped == 0 && pace.deadline == nil)
  }

  @Test("Of a flood a bounded number is heard, the newest word among them, and the end of the other process")
  func flood() {
    var pace = PresencePace()
    var heard: [PresencePace.Event] = []
    var now = start
    for number in 0..<100_000 as Range<UInt64> {
      if let deadline = pace.deadline, deadline <= now, let news = pace.due(at: now) { heard.append(news) }
      if pace.arrived(word(number), at: now) { heard.append(word(number)) }
      now = now + TimeSpan(nanoseconds: 10_000)
    }
    if pace.arrived(.ended, at: now) { heard.append(.ended) }
    while let deadline = pace.deadline {
      if let news = pace.due(at: deadline) { heard.append(news) }
    }
    // One second: what comes at once, and one each 50 ms.
    #expect(heard.count <= PresencePace.burst + 20 + 3)
    #expect(heard.suffix(2) == [word(99_999), .ended])
    #expect(pace.skipped > 99_000)
  }
}
