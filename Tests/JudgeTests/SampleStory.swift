@testable import TestHomes

/// The run that most tests judge: four payments over four connections, by the app and the extension.
///
/// 1. The app opens the channel and makes three invoices. 2. Payment 1 starts the extension, which receives it.
/// Payment 2 follows; the extension stores it and is killed before it answers. 3. The app claims and repeats the lost
/// messages, and payment 2 is paid; payment 3 is offered, and the app ends before it is settled. 4. The extension's
/// old connection is refused. Payment 4 finds no wallet process and fails.
enum SampleStory {
  static let preimages: [[UInt8]] = (1...4).map { [UInt8](repeating: UInt8($0 * 16 + 1), count: 32) }
  static let hashes = preimages.map { WireBytes.sha256($0) }
  static let none = [UInt8](repeating: 0, count: 32)

  static func tell() throws -> SampleRun {
    let run = try SampleRun()
    try openChannel(run)
    try receiveByExtension(run)
    try takeOverByApp(run)
    try refuseAndFail(run)
    try leaveRows(run)
    try run.finish()
    return run
  }

  /// A phone that was opened once and never paid; `after` runs when the app has ended.
  static func tellWithoutPayments(after: (SampleRun) throws -> Void = { _ in }) throws -> SampleRun {
    let run = try SampleRun()
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never claimed before")
    try run.connect(1)
    try run.sendInit(1, epoch: 1, highest: 1, reestablish: reestablish(1, 0, none))
    try run.write(1, app)
    try run.receive(1, reestablish(1, 0, none))
    try run.close(1, "the other side disconnected")
    app.end(at: run.now)
    run.ended(1, "app", pid: 100, how: "exited", number: 0, reason: "ended when it was asked to")
    try after(run)
    try leaveChannel(
      run, peer: [9_000_000_000, 1_000_000_000, 0, 0, 0, 0], none, next: [0, 0], last: 0, run.ledger)
    try leaveChannel(run, peer: nil, none, next: [0, 0], last: 0, run.wallet)
    try run.finish()
    return run
  }

  static func reestablish(_ commitment: UInt64, _ revocation: UInt64, _ secret: [UInt8]) -> [UInt8] {
    WireBytes.reestablish(nextCommitment: commitment, nextRevocation: revocation, secret: secret)
  }

  static func revoke(peer: Bool, _ number: UInt64) -> [UInt8] {
    WireBytes.revoke(secret: WireBytes.secret(ofPeer: peer, number))
  }

  static func openChannel(_ run: SampleRun) throws {
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never claimed before")
    try run.connect(1)
    try run.sendInit(1, epoch: 1, highest: 1, reestablish: reestablish(1, 0, none))
    try run.write(1, app)
    try run.receive(1, reestablish(1, 0, none))
    for (index, msat) in [100_000, 200_000, 400_000].enumerated() {
      try run.makeInvoice(1, app, hashes[index], msat: Int64(msat))
    }
    try run.receive(1, WireBytes.ping(2), out: [WireBytes.pong(2)])
    try run.close(1, "the other side disconnected")
    app.end(at: run.now)
    run.ended(1, "app", pid: 100, how: "exited", number: 0, reason: "ended when it was asked to")
  }

  private static func receiveByExtension(_ run: SampleRun) throws {
    run.tick()
    try run.request(1, hashes[0], msat: 100_000)
    try run.push(1, "IncomingPayment", hashes[0], msat: 100_000)
    let service = run.start("notifyextd", pid: 200)
    try run.claim(2, "extension", pid: 200, service, "holder-died")
    try run.connect(2)
    try run.sendInit(2, epoch: 2, highest: 2, reestablish: reestablish(1, 0, none))
    run.tick()
    run.now -= 7_000_000
    try receiveReestablish(run, 2, reestablish(1, 0, none), offering: 1, htlc: 0)
    try settleFirst(run, service)
    run.tick()
    try run.request(2, hashes[1], msat: 200_000)
    try run.offer(2, htlc: 1)
    try run.send(2, [WireBytes.add(1, msat: 200_000, hash: hashes[1]), WireBytes.commit(signatures: 1)])
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, 2))
    try run.receive(2, WireBytes.commit(signatures: 1), out: [revoke(peer: true, 2)])
    // Durable, but not sent: the extension is killed here.
    try run.write(2, service, received: (hashes[1], 200_000))
    service.tear()
    try run.close(2, "connection reset")
    run.phoneFinished(1)
    run.ended(
      2, "extension", pid: 200, how: "signalled", number: 9, reason: "killed from outside by signal 9")
  }

  static func receiveReestablish(
    _ run: SampleRun, _ connection: Int64, _ bytes: [UInt8], offering payment: Int64, htlc: Int64
  ) throws {
    // The stamp of the step that `receive` takes is one tick ahead.
    run.now += 7_000_000
    try run.offer(payment, htlc: htlc)
    run.now -= 7_000_000
    try run.receive(
      connection, bytes,
      out: [
        WireBytes.add(UInt64(htlc), msat: 100_000, hash: hashes[Int(payment) - 1]),
        WireBytes.commit(signatures: 1),
      ])
  }

  static func settleFirst(_ run: SampleRun, _ service: TestJournal) throws {
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, 0))
    try run.receive(2, WireBytes.commit(signatures: 1), out: [revoke(peer: true, 0)])
    try run.write(2, service, received: (hashes[0], 100_000))
    try run.store(2)
    try run.receive(2, WireBytes.fulfil(0, preimage: preimages[0]))
    try commitPaid(run, 2, payment: 1, out: [revoke(peer: true, 1), WireBytes.commit(signatures: 0)])
    try run.write(2, service)
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, 1))
  }

  static func commitPaid(_ run: SampleRun, _ connection: Int64, payment: Int64, out: [[UInt8]]) throws {
    run.now += 7_000_000
    try run.pay(payment, preimages[Int(payment) - 1])
    run.now -= 7_000_000
    try run.receive(connection, WireBytes.commit(signatures: 0), out: out)
  }

  private static func takeOverByApp(_ run: SampleRun) throws {
    let app = run.start("mainappd", pid: 300)
    try run.claim(3, "app", pid: 300, app, "holder-died")
    try run.connect(3)
    try run.sendInit(
      3, epoch: 3, highest: 3, reestablish: reestablish(4, 3, WireBytes.secret(ofPeer: false, 2)))
    try run.receive(3, reestablish(4, 3, WireBytes.secret(ofPeer: true, 2)))
    try run.write(3, app)
    try run.store(3)
    try run.receive(3, WireBytes.fulfil(1, preimage: preimages[1]))
    try commitPaid(run, 3, payment: 2, out: [revoke(peer: true, 3), WireBytes.commit(signatures: 0)])
    try run.write(3, app)
    try run.write(3, app)
    try run.store(3)
    try run.receive(3, revoke(peer: false, 3))
    run.tick()
    try run.request(3, hashes[2], msat: 400_000, total: 400_000)
    try run.offer(3, htlc: 2)
    try run.send(
      3,
      [
        WireBytes.add(2, msat: 400_000, hash: hashes[2], totalMsat: 400_000), WireBytes.commit(signatures: 1),
      ])
    try run.write(3, app)
    try run.store(3)
    try run.receive(3, revoke(peer: false, 4))
    try run.receive(3, WireBytes.commit(signatures: 1), out: [revoke(peer: true, 4)])
    try run.close(3, "the other side disconnected")
    app.end(at: run.now)
    run.ended(3, "app", pid: 300, how: "exited", number: 0, reason: "ended when it was asked to")
  }

  private static func refuseAndFail(_ run: SampleRun) throws {
    try run.connect(4)
    try run.sendInit(4, epoch: 2, verdict: "refused-lower-epoch", highest: 3, reestablish: nil)
    try run.receive(4, reestablish(4, 3, none), why: "its connection is refused")
    try run.close(4, "refused-lower-epoch (end of stream)")
    run.tick()
    try run.request(4, hashes[3], msat: 50_000)
    try run.push(2, "IncomingPayment", hashes[3], msat: 50_000)
    run.now += 25_000_000_000
    run.phoneFinished(2)
    run.now += 35_000_000_000
    try run.ledger.execute(
      """
      UPDATE payments SET state = 'failed', settled_at_ns = ?, failure_code = 4103, failure = 'recipient-away'
      WHERE id = 4
      """, [.integer(run.stamp)])
  }

  /// Payment 3 is pending: irrevocable for the peer, whose last revocation never reached the wallet.
  private static func leaveRows(_ run: SampleRun) throws {
    try leaveChannel(
      run, peer: [8_999_300_000, 1_000_300_000, 5, 5, 5, 5], WireBytes.secret(ofPeer: false, 4),
      next: [3, 0],
      last: 1, run.ledger)
    try leaveChannel(
      run, peer: nil, WireBytes.secret(ofPeer: true, 3), next: [0, 3], last: 0, run.wallet,
      [1_000_300_000, 8_999_300_000, 5, 5, 5, 4])
    let common: [TestDatabase.Value] = [
      .integer(2), .integer(400_000), .blob(hashes[2]), .integer(700_144),
    ]
    let data: [TestDatabase.Value] = [.blob(WireBytes.secret(of: hashes[2])), .integer(400_000)]
    try run.ledger.insert(
      "htlcs",
      [.text("offered")] + common + [.text("sentAddAckRevocation"), .null, .null, .null] + data)
    try run.wallet.insert(
      "htlcs",
      [.blob(WireBytes.channel), .text("received")] + common + [
        .text("sentAddAckCommit"), .null, .null, .null,
      ] + data)
  }

  static func leaveChannel(
    _ run: SampleRun, peer: [Int64]?, _ secret: [UInt8], next: [Int64], last: Int64, _ database: TestDatabase,
    _ wallet: [Int64] = [1_000_000_000, 9_000_000_000, 0, 0, 0, 0],
    funding: [TestDatabase.Value] = [.null, .null]
  ) throws {
    let numbers = (peer ?? wallet).map { TestDatabase.Value.integer($0) }
    let head: [TestDatabase.Value] = [.blob(WireBytes.channel), .integer(peer == nil ? 0 : 1)]
    let revision = peer == nil ? run.walletRevision - 1 : 0
    let tail: [TestDatabase.Value] = [
      .blob(secret), .integer(next[0]), .integer(next[1]), .integer(last), .integer(Int64(revision)),
    ]
    try database.insert(
      peer == nil ? "channels" : "channel",
      (peer == nil ? [] : [.integer(1)]) + head + numbers + tail + funding)
  }
}
