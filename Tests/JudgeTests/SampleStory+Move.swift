import Foundation

@testable import TestHomes

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
      .integer(Int64(revision)),
      .null, .null,
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
      try run.receive(
        1, WireBytes.commit(signatures: 1), out: [SampleStory.revoke(peer: true, 0)])
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
