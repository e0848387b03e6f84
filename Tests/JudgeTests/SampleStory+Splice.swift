@testable import TestHomes

// The app opens the channel, and splices 20,000 sat out of it.
extension SampleStory {
  enum SpliceEnd {
    /// On one connection.
    case whole
    /// The connection is lost after the wallet's commitment_signed for the new funding, and the peer's answer with
    /// it.
    case resumed
    /// The connection is lost before the peer receives the wallet's commitment: the peer does not know the splice.
    case forgotten
    /// Forgotten, then requested again: the same request makes the same transaction.
    case again
  }

  static func tellOfSplice(_ end: SpliceEnd = .whole) throws -> SampleRun {
    let run = try SampleRun()
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never claimed before")
    try connect(run, 1)
    try run.write(1, app)
    try run.receive(1, reestablish(1, 0, none) + SpliceBytes.fundings())
    try negotiate(run, app)
    switch end {
    case .whole:
      try bindPeer(run, 1)
      try run.receive(1, SpliceBytes.commit, out: [SpliceBytes.txSignatures])
      try run.write(1, app)
    case .resumed: try resume(run, app)
    case .forgotten: try forget(run, app)
    case .again:
      try forget(run, app)
      try negotiate(run, app, on: 2)
      try bindPeer(run, 2)
      try run.receive(2, SpliceBytes.commit, out: [SpliceBytes.txSignatures])
      try run.write(1, app)
    }
    if end != .forgotten { try finish(run, app, end == .whole ? 1 : 2) }
    try run.close(end == .whole ? 1 : 2, "the other side disconnected")
    app.end(at: run.now)
    run.ended(1, "app", pid: 100, how: "exited", number: 0, reason: "ended when it was asked to")
    let taken = end == .forgotten ? 0 : Int64(SpliceBytes.amountSat + SpliceBytes.feeSat) * 1000
    let funding: [TestDatabase.Value] =
      end == .forgotten ? [.null, .null] : [.blob(SpliceBytes.txid), .integer(0)]
    try leaveChannel(
      run, peer: [9_000_000_000, 1_000_000_000 - taken, 0, 0, 0, 0], none, next: [0, 0], last: 0, run.ledger,
      funding: funding)
    try leaveChannel(
      run, peer: nil, none, next: [0, 0], last: 0, run.wallet,
      [1_000_000_000 - taken, 9_000_000_000, 0, 0, 0, 0], funding: funding)
    try run.finish()
    return run
  }

  /// The wallet sends stfu and nothing more; after `seconds` the peer sends `last`.
  static func tellOfStfu(_ seconds: Int64, isAnswered: Bool, _ last: [UInt8]) throws -> SampleRun {
    let run = try SampleRun()
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never claimed before")
    try connect(run, 1)
    try run.write(1, app)
    try run.receive(1, reestablish(1, 0, none) + SpliceBytes.fundings())
    try run.receive(1, SpliceBytes.stfu(true), out: isAnswered ? [SpliceBytes.stfu(false)] : [])
    run.now += seconds * 1_000_000_000
    try run.send(1, [last])
    try run.close(1, "the peer gave it up")
    app.end(at: run.now)
    run.ended(1, "app", pid: 100, how: "exited", number: 0, reason: "ended when it was asked to")
    try leaveChannel(
      run, peer: [9_000_000_000, 1_000_000_000, 0, 0, 0, 0], none, next: [0, 0], last: 0, run.ledger)
    try leaveChannel(run, peer: nil, none, next: [0, 0], last: 0, run.wallet)
    try run.finish()
    return run
  }

  private static func connect(_ run: SampleRun, _ id: Int64, fundings: [UInt8] = SpliceBytes.fundings())
    throws
  {
    try run.connect(id)
    try run.sendInit(id, epoch: 1, highest: 1, reestablish: reestablish(1, 0, none) + fundings, splices: true)
  }

  /// Up to the wallet's durable commitment.
  private static func negotiate(_ run: SampleRun, _ app: TestJournal, on connection: Int64 = 1) throws {
    run.tick()
    app.event(
      "node",
      "{\"spliceRequested\":{\"_0\":{\"amountSat\":\(SpliceBytes.amountSat),\"script\":{\"bytes\":"
        + "\"\(WireBytes.hex(SpliceBytes.target))\"}}}}", at: run.now)
    try run.receive(connection, SpliceBytes.stfu(true), out: [SpliceBytes.stfu(false)])
    try run.receive(connection, SpliceBytes.spliceInit, out: [SpliceBytes.spliceAck])
    try run.receive(
      connection, SpliceBytes.txAddInput, out: [SpliceBytes.txComplete])
    for (serial, satoshis, script) in [
      (2, SpliceBytes.remainingSat, SpliceBytes.funding), (4, SpliceBytes.amountSat, SpliceBytes.target),
    ] {
      try run.receive(
        connection, SpliceBytes.txAddOutput(UInt64(serial), satoshis, script), out: [SpliceBytes.txComplete])
    }
    try run.write(1, app)
    try run.wallet.execute(
      """
      INSERT INTO splices (txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat,
        unsigned_transaction, begun_epoch, begun_wall_ns) VALUES (?, 'signing', 1, ?, 0, 0, ?, ?, ?, 1, ?)
      """, row + [.integer(run.now + TestJournal.wallOffset)])
    try run.store(connection)
  }

  private static var row: [TestDatabase.Value] {
    [
      .blob(SpliceBytes.txid), .blob(WireBytes.channel), .integer(Int64(SpliceBytes.amountSat)),
      .integer(Int64(SpliceBytes.feeSat)), .blob(SpliceBytes.transaction),
    ]
  }

  private static func bindPeer(_ run: SampleRun, _ connection: Int64) throws {
    try run.receive(connection, SpliceBytes.txComplete, out: [SpliceBytes.commit])
    try run.ledger.execute(
      """
      INSERT INTO splices (txid, state, is_ours, spent_txid, spent_index, funding_index, amount_sat, fee_sat,
        unsigned_transaction, begun_at_ns) VALUES (?, 'signing', 0, ?, 0, 0, ?, ?, ?, ?)
      """, row + [.integer(run.stamp)])
  }

  /// Both sides send in channel_reestablish what they lack, and repeat what the other lacks.
  private static func resume(_ run: SampleRun, _ app: TestJournal) throws {
    try bindPeer(run, 1)
    try run.close(1, "connection reset")
    try connect(run, 2, fundings: SpliceBytes.fundings(next: true))
    try run.receive(
      2, reestablish(1, 0, none) + SpliceBytes.fundings(next: true), out: [SpliceBytes.commit])
    try run.receive(2, SpliceBytes.commit, out: [SpliceBytes.txSignatures])
    try run.write(1, app)
  }

  private static func forget(_ run: SampleRun, _ app: TestJournal) throws {
    try run.close(1, "connection reset")
    try connect(run, 2)
    try run.receive(
      2, reestablish(1, 0, none) + SpliceBytes.fundings(next: true), out: [SpliceBytes.txAbort])
    try run.write(1, app)
    try run.wallet.execute(
      "UPDATE splices SET state = 'forgotten', ended_epoch = 1, ended_wall_ns = ?",
      [.integer(run.now + TestJournal.wallOffset)])
    say(run, app, "forgotten")
    try run.receive(2, SpliceBytes.txAbort)
  }

  /// From the peer's tx_signatures to the new funding.
  private static func finish(_ run: SampleRun, _ app: TestJournal, _ connection: Int64) throws {
    try run.write(1, app)
    try run.store(connection)
    try run.receive(connection, SpliceBytes.txSignatures, out: [SpliceBytes.spliceLocked])
    try run.receive(connection, SpliceBytes.spliceLocked)
    try run.ledger.execute("UPDATE splices SET state = 'done', ended_at_ns = ?", [.integer(run.stamp)])
    try run.write(1, app)
    try run.wallet.execute(
      "UPDATE splices SET state = 'done', ended_epoch = 1, ended_wall_ns = ? WHERE state <> 'forgotten'",
      [.integer(run.now + TestJournal.wallOffset)])
    say(run, app, "done")
  }

  private static func say(_ run: SampleRun, _ app: TestJournal, _ end: String) {
    let id = WireBytes.hex(SpliceBytes.txid.reversed())
    app.event(
      "node", "{\"written\":{}}", ["{\"spliceEnded\":{\"_0\":\"\(id)\",\"_1\":\"\(end)\"}}"], at: run.now)
  }
}
