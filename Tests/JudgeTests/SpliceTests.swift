@testable import Judge
@testable import TestHomes

@Suite("The verdict on a splice") struct SpliceTests {
  private func findings(_ run: SampleRun) throws -> [Finding] { try Judge.verdict(home: run.home).findings }

  @Test(arguments: [SampleStory.SpliceEnd.whole, .resumed, .forgotten, .again])
  func `A splice done at once, resumed, forgotten, or forgotten and then repeated is sound`(
    end: SampleStory.SpliceEnd
  ) throws {
    let found = try findings(try SampleStory.tellOfSplice(end))
    expect(found, is: [], "\(found.map(\.sentence))")
  }

  enum Place { case wallet, ledger }

  @Test(
    arguments: [
      (Place.wallet, "UPDATE splices SET state = 'forgotten'", 3, "but the peer as done"),
      (.ledger, "UPDATE splices SET state = 'forgotten'", 3, "but the peer as forgotten"),
      (.ledger, "DELETE FROM splices", 3, "the peer has no such splice"),
      (.wallet, "DELETE FROM splices", 3, "the wallet has it 0 times"),
      (.wallet, "UPDATE splices SET id = 2", 4, "before row 2 of splices"),
      (.wallet, "UPDATE splices SET amount_sat = 19000", 3, "No request of the user has"),
      (.wallet, "UPDATE splices SET amount_sat = 19000", 2, "has another amount or fee than its transaction"),
      (.wallet, "UPDATE splices SET fee_sat = 1724", 2, "has another amount or fee than its transaction"),
      (.wallet, "UPDATE splices SET txid = x'01'", 3, "has another id"),
      (.wallet, "UPDATE splices SET unsigned_transaction = x'0102'", 3, "has another id"),
      (.wallet, "UPDATE splices SET state = 'signed', ended_epoch = NULL", 2, "is signed and must be done"),
      (
        .wallet, "UPDATE splices SET ended_epoch = NULL", 3,
        "its ended_epoch contradicts that state"
      ),
      (.wallet, "UPDATE channels SET local_msat = local_msat + 20724000", 2, "local_msat is"),
      (.wallet, "UPDATE channels SET funding_txid = NULL, funding_index = NULL", 2, "funding is not that"),
      (
        .wallet,
        "INSERT INTO splices SELECT 2, txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat, unsigned_transaction, begun_epoch, begun_wall_ns, ended_epoch, ended_wall_ns FROM splices",
        3, "the wallet has it 2 times"
      ),
    ])
  func `A splice table that contradicts the other table, the frames or the user's request is reported`(
    place: Place, change: String, invariant: Int, words: String
  ) throws {
    let run = try SampleStory.tellOfSplice()
    try (place == .wallet ? run.wallet : run.ledger).execute(change)
    let found = try findings(run)
    #expect(
      found.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(found.map(\.sentence))")
  }

  @Test func `A splice that is pending in the wallet's table is listed as unsettled`() throws {
    let run = try SampleStory.tellOfSplice(.resumed)
    try run.wallet.execute("UPDATE splices SET state = 'committed', ended_epoch = NULL, ended_wall_ns = NULL")
    // No evidence shows that the wallet received the peer's last messages: they may be in flight.
    #expect(try findings(run).contains { $0.sentence.contains("must be") })
    #expect(try Judge.verdict(home: run.home).unsettled.contains { $0.contains("is pending") })
  }

  @Test(
    arguments: [
      (1, 61, WireBytes.channel, true), (1, 30, WireBytes.channel, false), (1, 61, SampleStory.none, false),
      (nil, 61, WireBytes.channel, false),
    ] as [(UInt8?, Int64, [UInt8], Bool)])
  func `The peer may warn with code 1 after 60 s of quiescence; any other warning is reported`(
    code: UInt8?, seconds: Int64, channel: [UInt8], isLawful: Bool
  ) throws {
    let words = "any words"
    for isAnswered in [true, false] {
      let run = try SampleStory.tellOfStfu(
        seconds, isAnswered: isAnswered, WireBytes.warning(words, code: code, of: channel))
      let found = try findings(run)
      expect(found.isEmpty, is: isLawful, "\(found.map(\.sentence))")
      #expect(
        isLawful || found.contains { $0.sentence.contains("The peer warned on connection 1: \(words)") })
    }
  }

  @Test func `A warning with an unknown code is reported as malformed`() throws {
    let run = try SampleStory.tellOfStfu(
      61, isAnswered: true, WireBytes.warning("", code: 2, of: WireBytes.channel))
    #expect(try findings(run).contains { $0.sentence.contains("is not allowed in warning") })
  }

  /// Frames that this version never sends, and that the other end must reject.
  @Test(
    arguments: [
      (
        "another amount", SpliceBytes.txAddOutput(4, 20_500, SpliceBytes.target), SpliceBytes.outputs[1],
        "the fee is"
      ),
      (
        "an output that is not the channel's",
        SpliceBytes.txAddOutput(2, SpliceBytes.remainingSat, SpliceBytes.target),
        SpliceBytes.outputs[0], "the rest to the funding script"
      ),
      (
        "another id", [0, 77] + WireBytes.channel + WireBytes.channel, SpliceBytes.spliceLocked,
        "no pending splice"
      ),
      (
        "an update", WireBytes.add(0, msat: 1000, hash: SampleStory.invoice), SpliceBytes.spliceInit,
        "its sender has sent stfu, or a splice is pending"
      ),
      ("no turn", SpliceBytes.txComplete, SpliceBytes.spliceInit, "not the sender's turn"),
    ])
  func `A splice frame that its recipient must reject violates invariant 2`(
    what: String, new: [UInt8], old: [UInt8], words: String
  ) throws {
    let run = try SampleStory.tellOfSplice()
    try run.ledger.execute(
      "UPDATE frames SET bytes = ? WHERE id = (SELECT max(id) FROM frames WHERE bytes = ? AND direction = 'in')",
      [.blob(new), .blob(old)])
    let found = try findings(run)
    #expect(
      found.contains { $0.invariant == .noStateGoesBack && $0.sentence.contains(words) },
      "\(what): \(found.map(\.sentence))")
  }

  @Test(arguments: [true, false])
  func `Without a splice a commitment_signed may name only the current funding transaction`(isRight: Bool)
    throws
  {
    let run = try SampleStory.tellOfSending()
    let funding = isRight ? WireBytes.channel : SpliceBytes.txid
    for signatures in 0...1 {
      let plain = WireBytes.commit(signatures: signatures)
      try run.ledger.execute(
        "UPDATE frames SET bytes = ? WHERE bytes = ?", [.blob(plain + [1, 32] + funding), .blob(plain)])
    }
    let found = try findings(run)
    expect(found.isEmpty, is: isRight, "\(found.map(\.sentence))")
  }

  @Test func `Signing a splice before it is stored violates invariant 1`() throws {
    let run = try SampleStory.tellOfSplice()
    try run.wallet.execute("UPDATE node_writes SET at_mono_ns = at_mono_ns + 400000000 WHERE id > 1")
    let found = try findings(run)
    #expect(
      found.contains { $0.invariant == .exclusion && $0.sentence.contains("had made") },
      "\(found.map(\.sentence))")
  }

  @Test func `A channel_reestablish that contradicts a pending splice violates invariant 2`() throws {
    let run = try SampleStory.tellOfSplice(.resumed)
    let said = SampleStory.reestablish(1, 0, SampleStory.none)
    try run.ledger.execute(
      "UPDATE frames SET bytes = ? WHERE bytes = ? AND direction = 'in'",
      [.blob(said + SpliceBytes.fundings()), .blob(said + SpliceBytes.fundings(next: true))])
    let found = try findings(run)
    #expect(
      found.contains { $0.invariant == .noStateGoesBack && $0.sentence.contains("names fundings") },
      "\(found.map(\.sentence))")
  }

  @Test func `A splice whose end in a journal differs from its row violates invariant 3`() throws {
    let run = try SampleStory.tellOfSplice()
    let journal = TestJournal("mainappd", pid: 9, startTime: 1, at: run.now)
    let id = WireBytes.hex(SpliceBytes.txid.reversed())
    journal.event(
      "node", "{\"written\":{}}", ["{\"spliceEnded\":{\"_0\":\"\(id)\",\"_1\":\"forgotten\"}}"], at: run.now)
    journal.end(at: run.now + 1)
    try journal.write(to: "\(run.home)/journal")
    #expect(
      try findings(run).contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("The wallet reported splice")
      })
  }
}

@Suite("The verdict on an outgoing payment") struct SentTests {
  @Test func `The run is sound when the payment was sent once and arrived, and both tables agree`() throws {
    let run = try SampleStory.tellOfSending()
    let verdict = try Judge.verdict(home: run.home)
    expect(verdict.findings, is: [], "\(verdict.findings.map(\.sentence))")
    #expect(verdict.counts.sent == 1 && verdict.counts.sentPaid == 1)
  }

  enum Place { case wallet, ledger }

  @Test(
    arguments: [
      (
        Place.ledger, "UPDATE external_invoices SET htlc = NULL, paid_at_ns = NULL", 3,
        "paid, but its recipient was not paid"
      ),
      (.ledger, "UPDATE external_invoices SET htlc = 7", 3, "the wallet has 0 payments of it"),
      (
        .wallet, "UPDATE outgoing_payments SET state = 'failed', preimage = NULL, failure_code = 16399", 3,
        "failed, but its recipient was paid"
      ),
      (
        .wallet,
        "UPDATE outgoing_payments SET state = 'pending', preimage = NULL, ended_epoch = NULL, ended_wall_ns = NULL",
        3, "but its row differs"
      ),
      (
        .wallet, "UPDATE outgoing_payments SET state = 'failed'", 3,
        "another column of its row contradicts that state"
      ),
      (.wallet, "UPDATE outgoing_payments SET preimage = x'01'", 3, "with a preimage of another hash"),
      (
        .wallet, "UPDATE outgoing_payments SET amount_msat = 49000", 3,
        "does not belong to exactly one payment"
      ),
      (.wallet, "DELETE FROM outgoing_payments", 3, "the wallet has 0 payments of it"),
      (.wallet, "DELETE FROM outgoing_payments", 3, "but the wallet has no row of it"),
      (.wallet, "UPDATE outgoing_payments SET id = 2", 4, "before row 2 of outgoing_payments"),
      (
        .wallet, "DELETE FROM outgoing_payments", 4,
        "began 1 payments and ended 1, but its table has 0 rows, 0 of them ended"
      ),
      (
        .wallet,
        "INSERT INTO outgoing_payments SELECT 2, payment_hash, amount_msat, payment_secret, htlc, state, preimage, failure_code, begun_epoch, begun_wall_ns, ended_epoch, ended_wall_ns FROM outgoing_payments",
        3, "has paid one invoice 2 times"
      ),
      (
        .wallet, "UPDATE node_writes SET what = replace(what, ' ended=1', '')", 4,
        "began 1 payments and ended 0"
      ),
    ])
  func
    `A payment table that contradicts the other table, the frames, a journal or the wallet's writes is reported`(
      place: Place, change: String, invariant: Int, words: String
    ) throws
  {
    let run = try SampleStory.tellOfSending()
    try (place == .wallet ? run.wallet : run.ledger).execute(change)
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains { $0.invariant.rawValue == invariant && $0.sentence.contains(words) },
      "\(findings.map { "\($0.invariant.rawValue) \($0.sentence)" })")
  }

  @Test
  func
    `A payment that the wallet has as paid, but whose fulfilment the peer never signed for, violates invariant 3`()
    throws
  {
    let run = try SampleStory.tellOfSending()
    // The frame with the preimage becomes an update_fail_htlc.
    let fulfil = WireBytes.fulfil(0, preimage: SampleStory.externalPreimage)
    let fail = [0, 131] + WireBytes.channel + WireBytes.number(0, 8) + [0, 2, 0x40, 0x0F] as [UInt8]
    try run.ledger.execute("UPDATE frames SET bytes = ? WHERE bytes = ?", [.blob(fail), .blob(fulfil)])
    let findings = try Judge.verdict(home: run.home).findings
    #expect(
      findings.contains {
        $0.invariant == .paymentsOnce && $0.sentence.contains("the peer never signed for its fulfilment")
      }, "\(findings.map(\.sentence))")
  }
}
