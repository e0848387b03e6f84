import Testing

@testable import Judge
@testable import TestHomes

/// The provider sends the wallet, which connects, an `error` about the channel.
@Suite("The error that fails the channel") struct ChannelClosedTests {
  private func findings(_ words: String, inLedger row: String?) throws -> [String] {
    let run = try SampleStory.tellWithoutPayments { run in
      if let row {
        try run.ledger.execute("INSERT INTO channel_failures VALUES (1, \(run.now), 0, '\(row)')")
      }
      let app = run.start("mainappd", pid: 101)
      try run.claim(2, "app", pid: 101, app, "holder-died")
      try run.connect(2)
      var error = WireBytes.warning(words, of: WireBytes.channel)
      error[1] = 17
      try run.sendInit(2, epoch: 2, highest: 2, reestablish: error)
      try run.close(2, "the channel has failed")
      app.end(at: run.now)
      run.ended(2, "app", pid: 101, how: "exited", number: 0, reason: "ended when it was asked to")
    }
    return try Judge.verdict(home: run.home).findings.map(\.sentence)
  }

  @Test func `B-1.7.2.3c The provider may give the channel up, once the ledger says so`() throws {
    let words = "closed by the provider"
    #expect(try findings(words, inLedger: words) == [])
    let finding = "The peer reported an error on connection 2: \(words)"
    #expect(try findings(words, inLedger: nil) == [finding])
    #expect(try findings(words, inLedger: "you cheated") == [finding])
  }

  @Test func `Another error fails the channel for what the wallet did, and is a finding`() throws {
    #expect(
      try findings("you cheated", inLedger: "you cheated")
        == ["The peer reported an error on connection 2: you cheated"])
  }
}
