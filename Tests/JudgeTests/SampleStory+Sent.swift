@testable import TestHomes

// The app opens the channel and pays an external invoice of 50,000 msat.
extension SampleStory {
  static let externalPreimage = [UInt8](repeating: 0xB1, count: 32)
  static let invoice = WireBytes.sha256(externalPreimage)
  static let externalMsat: Int64 = 50_000

  static func tellOfSending() throws -> SampleRun {
    let run = try SampleRun()
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never claimed before")
    try run.connect(1)
    try run.sendInit(1, epoch: 1, highest: 1, reestablish: reestablish(1, 0, none))
    try run.write(1, app)
    try run.receive(1, reestablish(1, 0, none))
    try makeExternalInvoice(run)
    try offer(run, app)
    try arrive(run, app)
    try run.close(1, "the other side disconnected")
    app.end(at: run.now)
    run.ended(1, "app", pid: 100, how: "exited", number: 0, reason: "ended when it was asked to")
    try leaveChannel(
      run, peer: [9_000_000_000 + externalMsat, 1_000_000_000 - externalMsat, 2, 2, 2, 2],
      WireBytes.secret(ofPeer: false, 1), next: [0, 1], last: 1, run.ledger)
    try leaveChannel(
      run, peer: nil, WireBytes.secret(ofPeer: true, 1), next: [1, 0], last: 0, run.wallet,
      [1_000_000_000 - externalMsat, 9_000_000_000 + externalMsat, 2, 2, 2, 2])
    try run.finish()
    return run
  }

  private static func makeExternalInvoice(_ run: SampleRun) throws {
    run.tick()
    try run.ledger.insert(
      "external_invoices",
      [
        .integer(1), .blob(invoice), .integer(externalMsat), .blob(WireBytes.secret(of: invoice)),
        .blob(externalPreimage),
        .integer(run.stamp), .null, .null,
      ])
  }

  /// Until it is irrevocable on both sides.
  private static func offer(_ run: SampleRun, _ app: TestJournal) throws {
    try run.write(1, app, sent: "offered=1")
    app.event(
      "node", "{\"written\":{}}", ["{\"paymentOffered\":{\"paymentHash\":\"\(WireBytes.hex(invoice))\"}}"],
      at: run.now)
    try run.wallet.execute(
      """
      INSERT INTO outgoing_payments (payment_hash, amount_msat, payment_secret, htlc, state, begun_epoch,
        begun_wall_ns) VALUES (?, ?, ?, 0, 'pending', 1, ?)
      """,
      [
        .blob(invoice), .integer(externalMsat), .blob(WireBytes.secret(of: invoice)),
        .integer(run.now + TestJournal.wallOffset),
      ])
    try run.store(1)
    try run.receive(
      1, WireBytes.add(0, msat: UInt64(externalMsat), hash: invoice, totalMsat: UInt64(externalMsat)))
    try run.receive(
      1, WireBytes.commit(signatures: 1),
      out: [revoke(peer: true, 0), WireBytes.commit(signatures: 1)])
    try run.write(1, app)
    try run.write(1, app)
    try run.store(1)
  }

  /// The payment reaches its recipient, and the preimage comes back.
  private static func arrive(_ run: SampleRun, _ app: TestJournal) throws {
    run.now += 7_000_000
    let stamp = run.stamp
    run.now -= 7_000_000
    try run.ledger.execute(
      "UPDATE external_invoices SET htlc = 0, paid_at_ns = ? WHERE id = 1", [.integer(stamp)])
    try run.receive(
      1, revoke(peer: false, 0),
      out: [WireBytes.fulfil(0, preimage: externalPreimage), WireBytes.commit(signatures: 0)])
    try run.write(1, app, sent: "ended=1")
    let end =
      "{\"payment\":{\"paymentHash\":\"\(WireBytes.hex(invoice))\",\"htlc\":0},"
      + "\"end\":{\"paid\":{\"preimage\":\"\(WireBytes.hex(externalPreimage))\"}}}"
    app.event("node", "{\"written\":{}}", ["{\"paymentEnded\":{\"_0\":\(end)}}"], at: run.now)
    try run.wallet.execute(
      "UPDATE outgoing_payments SET state = 'paid', preimage = ?, ended_epoch = 1, ended_wall_ns = ?",
      [.blob(externalPreimage), .integer(run.now + TestJournal.wallOffset)])
    try run.store(1)
    try run.receive(1, revoke(peer: false, 1))
    try run.receive(
      1, WireBytes.commit(signatures: 0), out: [revoke(peer: true, 1)])
    try run.write(1, app)
  }
}
