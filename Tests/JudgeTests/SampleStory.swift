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
      [WireBytes.add(2, msat: 400_000, hash: hashes[2], totalMsat: 400_000), WireBytes.commit(signatures: 1)])
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
      next: [3, 0], last: 1, run.ledger)
    try leaveChannel(
      run, peer: nil, WireBytes.secret(ofPeer: true, 3), next: [0, 3], last: 0, run.wallet,
      [1_000_300_000, 8_999_300_000, 5, 5, 5, 4])
    let common: [TestDatabase.Value] = [.integer(2), .integer(400_000), .blob(hashes[2]), .integer(700_144)]
    let data: [TestDatabase.Value] = [.blob(WireBytes.secret(of: hashes[2])), .integer(400_000)]
    try run.ledger.insert(
      "htlcs", [.text("offered")] + common + [.text("sentAddAckRevocation"), .null, .null, .null] + data)
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

// The user moves the wallet: it receives a payment in one container, and then lives in another.
extension SampleStory {
  static let firstContainer: [UInt8] = (1...16).map { UInt8(0xA0 + $0) }

  /// The home has the second container; the first lies in `AppGroup-before`. `naming` is the claim that is replaced.
  static func tellOfMove(naming replaced: Int64 = 1) throws -> SampleRun {
    let run = try SampleRun()
    let before = try FirstContainer(run)
    try before.live()
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never-claimed")
    try refuse(run, 2, epoch: 1)
    try run.claim(2, "app", pid: 100, app, "raised-to-move-here", isRaised: true)
    try run.connect(3)
    let secret = WireBytes.secret(ofPeer: false, 1)
    try run.sendInit(
      3, epoch: 2, highest: 2, reestablish: reestablish(3, 2, secret), replacing: (replaced, firstContainer))
    try run.write(2, app, isRestore: true)
    try run.receive(3, reestablish(3, 2, WireBytes.secret(ofPeer: true, 1)))
    try run.close(3, "the other side disconnected")
    app.end(at: run.now)
    run.ended(2, "app", pid: 100, how: "exited", number: 0, reason: "ended when it was asked to")
    try leaveChannel(
      run, peer: [8_999_900_000, 1_000_100_000, 2, 2, 2, 2], secret, next: [1, 0], last: 0, run.ledger)
    try leave(run, run.wallet, revision: run.walletRevision - 1)
    try leave(run, before.wallet, revision: before.revision - 1)
    try run.finish()
    return run
  }

  private static func refuse(_ run: SampleRun, _ connection: Int64, epoch: Int64) throws {
    try run.connect(connection)
    try run.sendInit(
      connection, epoch: epoch, verdict: "refused-other-container", highest: 1, reestablish: nil,
      known: firstContainer)
    try run.close(connection, "refused-other-container (disconnected in good order)")
  }

  /// The wallet's end of the channel, the same in both containers.
  private static func leave(_ run: SampleRun, _ database: TestDatabase, revision: Int) throws {
    let numbers: [Int64] = [1_000_100_000, 8_999_900_000, 2, 2, 2, 2]
    let tail: [TestDatabase.Value] = [
      .blob(WireBytes.secret(ofPeer: true, 1)), .integer(0), .integer(1), .integer(1),
      .integer(Int64(revision)), .null, .null,
    ]
    try database.insert(
      "channels", [.blob(WireBytes.channel), .integer(0)] + numbers.map { .integer($0) } + tail)
  }

  /// The wallet's first container, with its own database; its journal lies in the same home.
  private final class FirstContainer {
    let run: SampleRun
    let wallet: TestDatabase
    private(set) var revision = 0
    private let app: TestJournal
    private static let incarnation: Int64 = -1_000_007

    init(_ run: SampleRun) throws {
      self.run = run
      try FileManager.default.createDirectory(
        atPath: "\(run.home)/AppGroup-before", withIntermediateDirectories: true)
      wallet = try TestDatabase("\(run.home)/AppGroup-before/node.sqlite")
      try wallet.executeAll(SampleSchema.wallet)
      try wallet.insert("meta", [.text("container"), .blob(SampleStory.firstContainer)])
      app = run.start("mainappd", pid: 90)
    }

    /// Claims, connects, makes an invoice and receives a payment.
    func live() throws {
      try claim()
      try run.connect(1)
      try run.sendInit(
        1, epoch: 1, highest: 1, reestablish: SampleStory.reestablish(1, 0, SampleStory.none),
        of: SampleStory.firstContainer)
      try write()
      try run.receive(1, SampleStory.reestablish(1, 0, SampleStory.none))
      try makeInvoice()
      try receive()
      try run.close(1, "the other side disconnected")
      app.end(at: run.now)
      run.ended(1, "app", pid: 90, how: "exited", number: 0, reason: "ended when it was asked to")
    }

    private func claim() throws {
      run.tick()
      app.event(
        "guard-app", "{\"observed\":{\"_0\":{\"bootClock\":\(run.now + 1000)}}}",
        ["{\"claim\":{\"seen\":0,\"reason\":\"never-claimed\"}}"], at: run.now)
      try wallet.insert(
        "claims",
        [
          .integer(1), .text("app"), .integer(90), .integer(270), .integer(TestJournal.boot.high),
          .integer(TestJournal.boot.low), .integer(Self.incarnation), .integer(run.now + 1005),
          .integer(run.now + TestJournal.wallOffset + 5), .integer(0), .text("never-claimed"),
        ])
      run.tick()
      let halves = [SampleStory.firstContainer[..<8], SampleStory.firstContainer[8...]].map { half in
        half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      app.event(
        "guard-app",
        "{\"claimed\":{\"_0\":{\"epoch\":1,\"incarnation\":\(UInt64(bitPattern: Self.incarnation)),"
          + "\"container\":{\"high\":\(halves[0]),\"low\":\(halves[1])}}}}", at: run.now)
    }

    private func write(_ what: String? = nil, received: String = "") throws {
      run.tick()
      app.event("node", "{\"written\":{}}", ["{\"write\":{}}"], at: run.now)
      let words = what ?? "revision=\(revision)\(received)"
      if what == nil { revision += 1 }
      try wallet.execute(
        "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (1, ?, ?, ?)",
        [.integer(Self.incarnation), .text(words), .integer(run.now + 10_000)])
    }

    private func makeInvoice() throws {
      let hash = SampleStory.hashes[0]
      let tweak = WireBytes.sha256(hash)
      try write("invoice=1")
      try wallet.insert(
        "invoices", [.blob(hash), .integer(100_000), .text("tea"), .blob(tweak), .integer(1_800_000_000)])
    }

    private func receive() throws {
      let (hash, preimage) = (SampleStory.hashes[0], SampleStory.preimages[0])
      run.tick()
      try run.request(1, hash, msat: 100_000)
      try run.offer(1, htlc: 0)
      try run.send(1, [WireBytes.add(0, msat: 100_000, hash: hash), WireBytes.commit(signatures: 1)])
      try write()
      try run.store(1)
      try run.receive(1, SampleStory.revoke(peer: false, 0))
      try run.receive(1, WireBytes.commit(signatures: 1), out: [SampleStory.revoke(peer: true, 0)])
      try write(received: " received=1")
      try wallet.execute(
        "INSERT INTO received_payments (payment_hash, amount_msat, epoch, received_wall_ns) VALUES (?, 100000, 1, ?)",
        [.blob(hash), .integer(run.now + TestJournal.wallOffset + 9)])
      try run.store(1)
      try run.receive(1, WireBytes.fulfil(0, preimage: preimage))
      try SampleStory.commitPaid(
        run, 1, payment: 1, out: [SampleStory.revoke(peer: true, 1), WireBytes.commit(signatures: 0)])
      try write()
      try write()
      try run.store(1)
      try run.receive(1, SampleStory.revoke(peer: false, 1))
    }
  }
}

// A payment of 100,000 msat in two parts, 60,000 and 40,000, ten seconds apart, on one connection of the extension.
extension SampleStory {
  enum PartsEnd {
    /// Both parts, and then the preimage for both.
    case whole
    /// The preimage after the first part; the second never comes.
    case early
  }

  static func tellInParts(_ end: PartsEnd = .whole) throws -> SampleRun {
    let run = try SampleRun()
    try openChannel(run)
    run.tick()
    try run.request(1, hashes[0], msat: 60_000, total: 100_000)
    try run.push(1, "IncomingPayment", hashes[0], msat: 60_000)
    let service = run.start("notifyextd", pid: 200)
    try run.claim(2, "extension", pid: 200, service, "holder-died")
    try run.connect(2)
    try run.sendInit(2, epoch: 2, highest: 2, reestablish: reestablish(1, 0, none))
    run.now += 7_000_000
    try run.offer(1, htlc: 0)
    run.now -= 7_000_000
    try run.receive(2, reestablish(1, 0, none), out: part(0, msat: 60_000, signatures: 1))
    try keep(run, service, signatures: 1, revocation: 0)
    switch end {
    case .whole: try finishWhole(run, service)
    case .early: try finishEarly(run, service)
    }
    try run.close(2, "the other side disconnected")
    service.end(at: run.now)
    run.phoneFinished(1)
    run.ended(2, "extension", pid: 200, how: "exited", number: 0, reason: "ended when it was asked to")
    let paid: Int64 = end == .whole ? 100_000 : 60_000
    let count: Int64 = end == .whole ? 3 : 2
    let parts: Int64 = end == .whole ? 2 : 1
    try leaveChannel(
      run, peer: [9_000_000_000 - paid, 1_000_000_000 + paid, count, count, count, count],
      WireBytes.secret(ofPeer: false, UInt64(count) - 1), next: [parts, 0], last: 0, run.ledger)
    try leaveChannel(
      run, peer: nil, WireBytes.secret(ofPeer: true, UInt64(count) - 1), next: [0, parts], last: 1,
      run.wallet, [1_000_000_000 + paid, 9_000_000_000 - paid, count, count, count, count])
    try run.finish()
    return run
  }

  private static func part(_ htlc: UInt64, msat: UInt64, signatures: Int) -> [[UInt8]] {
    [
      WireBytes.add(htlc, msat: msat, hash: hashes[0], totalMsat: 100_000),
      WireBytes.commit(signatures: signatures),
    ]
  }

  /// From the peer's commitment until it is irrevocable on both sides.
  private static func keep(
    _ run: SampleRun, _ service: TestJournal, signatures: Int, revocation: UInt64
  ) throws {
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, revocation))
    try run.receive(2, WireBytes.commit(signatures: signatures), out: [revoke(peer: true, revocation)])
  }

  private static func finishWhole(_ run: SampleRun, _ service: TestJournal) throws {
    try run.write(2, service)
    run.now += 10_000_000_000
    try run.request(2, hashes[0], msat: 40_000, total: 100_000)
    try run.offer(2, htlc: 1)
    try run.send(2, part(1, msat: 40_000, signatures: 2))
    try keep(run, service, signatures: 2, revocation: 1)
    try run.write(2, service, received: (hashes[0], 100_000))
    try run.store(2)
    try run.receive(2, WireBytes.fulfil(0, preimage: preimages[0]))
    try run.receive(2, WireBytes.fulfil(1, preimage: preimages[0]))
    try settle(run, service, payments: [1, 2], revocation: 2)
  }

  private static func finishEarly(_ run: SampleRun, _ service: TestJournal) throws {
    try run.write(2, service, received: (hashes[0], 60_000))
    try run.store(2)
    try run.receive(2, WireBytes.fulfil(0, preimage: preimages[0]))
    try settle(run, service, payments: [1], revocation: 1)
  }

  private static func settle(
    _ run: SampleRun, _ service: TestJournal, payments: [Int64], revocation: UInt64
  ) throws {
    run.now += 7_000_000
    for payment in payments { try run.pay(payment, preimages[0]) }
    run.now -= 7_000_000
    try run.receive(
      2, WireBytes.commit(signatures: 0),
      out: [revoke(peer: true, revocation), WireBytes.commit(signatures: 0)])
    try run.write(2, service)
    try run.write(2, service)
    try run.store(2)
    try run.receive(2, revoke(peer: false, revocation))
  }
}

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
        .blob(externalPreimage), .integer(run.stamp), .null, .null,
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
      1, WireBytes.commit(signatures: 1), out: [revoke(peer: true, 0), WireBytes.commit(signatures: 1)])
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
    try run.receive(1, WireBytes.commit(signatures: 0), out: [revoke(peer: true, 1)])
    try run.write(1, app)
  }
}
