import Glibc

@testable import WalletProcess

@Suite("Presence messages between the two processes") struct PresenceLinkTests {
  @Test func `Each presence message is received once, also after the other process has opened a new socket`()
    throws
  {
    let scratch = ScratchContainer()
    let directory = scratch.path("presence")
    expect(mkdir(directory, 0o700), is: 0)
    let loop = try EventLoop()
    let app = PresenceLink(directory: directory, role: .app, loop: loop)
    try app.listen()
    var ends = 0
    app.onPartnerEnded = { ends += 1 }
    // A missing partner process is no error.
    app.say(PresenceMessage(code: .appPing))
    for epoch: Epoch in [1, 2] {
      let notifier = PresenceLink(directory: directory, role: .extension, loop: loop)
      var heard: [PresenceMessage] = []
      notifier.onMessage = { heard.append($0) }
      try notifier.listen()
      let said = [
        PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true),
        PresenceMessage(code: .appUnavailable, released: epoch),
      ]
      for message in said { app.say(message) }
      #expect(try loop.run(for: .seconds(60)) { heard.count == 2 })
      expect(heard, is: said)
      let endsBefore = ends
      notifier.shutDown()
      #expect(try loop.run(for: .seconds(60)) { ends > endsBefore })
    }
    app.shutDown()
  }
}

@Suite("The rate limit of presence messages") struct PresencePaceTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func message(_ epoch: UInt64) -> PresencePace.Event {
    .heard(PresenceMessage(code: .appPing, released: epoch))
  }

  @Test func `A burst of presence messages, and then a message per interval, pass without delay`() {
    var pace = PresencePace()
    for number in 0..<UInt64(PresencePace.burst) {
      let isHeard = pace.arrived(message(number), at: start)
      #expect(isHeard)
    }
    var now = start + .seconds(2)
    for number in 0..<100 as Range<UInt64> {
      let isHeard = pace.arrived(message(number), at: now)
      #expect(isHeard)
      now = now + PresencePace.interval
    }
    #expect(pace.skipped == 0 && pace.deadline == nil)
  }

  @Test
  func
    `A flood of presence messages is limited; the newest message and news of the sender's end still pass`()
  {
    var pace = PresencePace()
    var heard: [PresencePace.Event] = []
    var now = start
    for number in 0..<100_000 as Range<UInt64> {
      if let deadline = pace.deadline, deadline <= now, let news = pace.due(at: now) { heard.append(news) }
      if pace.arrived(message(number), at: now) { heard.append(message(number)) }
      now = now + TimeSpan(nanoseconds: 10_000)
    }
    if pace.arrived(.ended, at: now) { heard.append(.ended) }
    while let deadline = pace.deadline {
      if let news = pace.due(at: deadline) { heard.append(news) }
    }
    // One second: the burst, and one message per 50 ms.
    #expect(heard.count <= PresencePace.burst + 20 + 3)
    expect(heard.suffix(2), is: [message(99_999), .ended])
    #expect(pace.skipped > 99_000)
  }
}
