@testable import Judge
@testable import TestHomes

@Suite("The verdict on a payment in parts") struct PartTests {
  @Test func `The run is sound when the preimage follows both parts and the wallet has one payment`() throws {
    let run = try SampleStory.tellInParts()
    let findings = try Judge.verdict(home: run.home).findings
    expect(findings, is: [], "\(findings.map(\.sentence))")
  }

  @Test func `A preimage released for the first part alone violates invariant 3`() throws {
    let run = try SampleStory.tellInParts(.early)
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains { $0.invariant == .paymentsOnce && $0.sentence.contains("had 60 sat of 100 sat") })
  }

  @Test func `A received amount of one part only, or with one part twice, violates invariant 3`() throws {
    for change in [
      "UPDATE received_payments SET amount_msat = 60000", "UPDATE received_payments SET amount_msat = 160000",
    ] {
      let run = try SampleStory.tellInParts()
      try run.wallet.execute(change)
      let findings = try Judge.verdict(home: run.home).findings
      #expect(findings.contains { $0.invariant == .paymentsOnce && $0.sentence.contains("for all 2 parts") })
    }
  }

  @Test func `A superfluous part of a payment is reported, in whatever order the parts came`() throws {
    for order in ["1, 60000, 40000", "60000, 1, 40000", "60000, 40000, 1"] {
      let run = try SampleStory.tellInParts()
      let amounts = order.split(separator: ", ")
      try run.ledger.execute(
        """
        INSERT INTO payments SELECT 3, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, held_at_ns,
          offered_at_ns, settled_at_ns, htlc, preimage, failure_code, failure, payment_secret, total_msat
        FROM payments WHERE id = 2
        """)
      for (index, amount) in amounts.enumerated() {
        try run.ledger.execute("UPDATE payments SET amount_msat = \(amount) WHERE id = \(index + 1)")
      }
      let findings = try Judge.verdict(home: run.home).findings
      #expect(findings.contains { $0.sentence.contains("was paid 3 times") }, "\(order)")
    }
  }

  @Test func `Parts with different totals violate invariant 3`() throws {
    let run = try SampleStory.tellInParts()
    try run.ledger.execute("UPDATE payments SET total_msat = 40000 WHERE id = 2")
    let findings = try Judge.verdict(home: run.home).findings
    #expect(findings.contains { $0.invariant == .paymentsOnce && $0.sentence.contains("was paid 2 times") })
    #expect(
      findings.contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("does not belong to exactly one payment")
      })
  }
}

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

  @Test(.shows("B-1.7.2.3c")) func `The provider may give the channel up, once the ledger says so`() throws {
    let words = "closed by the provider"
    expect(try findings(words, inLedger: words), is: [])
    let finding = "The peer reported an error on connection 2: \(words)"
    expect(try findings(words, inLedger: nil), is: [finding])
    expect(try findings(words, inLedger: "you cheated"), is: [finding])
  }

  @Test func `Another error fails the channel for what the wallet did, and is a finding`() throws {
    expect(
      try findings("you cheated", inLedger: "you cheated"),
      is: ["The peer reported an error on connection 2: you cheated"])
  }
}

/// A ledger of a peer that stores backups at most once in a time.
@Suite("A peer with a storage delay") struct StorageDelayTests {
  @Test func `A backup may be missing only where the peer stores them with a delay`() throws {
    for (delayNs, isFound) in [(0, true), (3_600_000_000_000, false)] as [(Int64, Bool)] {
      for revision in ["1", "2", "(SELECT max(revision) FROM backups)"] {
        let run = try SampleStory.tell()
        try run.ledger.executeAll(
          """
          UPDATE runs SET storage_delay_ns = \(delayNs);
          DELETE FROM backups WHERE revision = \(revision);
          """)
        let found = try Judge.verdict(home: run.home).findings.map(\.sentence)
        expect(found.contains { $0.contains("backups are not those") }, is: isFound, "\(revision) \(found)")
      }
    }
  }
}
