@testable import TestHomes

// A wallet whose extension only notifies. 1. The app opens the channel, makes an invoice, and names its push key.
// 2. Payment 1 is held and announced; the extension stores its record and shows it, and the app receives it and removes
// the record. 3. Payment 2 is announced and missed, and the app hears of it when it connects; its record is still there.
extension SampleStory {
  static let pushKey = [2] + [UInt8](repeating: 0x5A, count: 32)
  static let missed = WireBytes.sha256([77])

  static let tellingTables = """
    UPDATE runs SET push_form = 'bitkit';
    ALTER TABLE pushes ADD COLUMN kind TEXT NOT NULL DEFAULT 'alert';
    ALTER TABLE pushes ADD COLUMN payment INTEGER;
    ALTER TABLE pushes ADD COLUMN hold_until_ns INTEGER;
    """

  static let recordsTable = """
    CREATE TABLE incoming (
      number INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash BLOB NOT NULL UNIQUE, amount_msat INTEGER NOT NULL,
      kind TEXT NOT NULL, is_held INTEGER NOT NULL, hold_ends_at INTEGER, state TEXT NOT NULL,
      arrived_at INTEGER NOT NULL) STRICT;
    """

  static func records(of run: SampleRun) throws -> TestDatabase {
    try TestDatabase("\(run.home)/AppGroup/incoming.sqlite")
  }

  static func tellOfTelling() throws -> SampleRun {
    let run = try SampleRun()
    try run.ledger.executeAll(tellingTables)
    try openAndNameKey(run)
    try receiveByApp(run)
    try missAndHear(run)
    try leaveChannel(
      run, peer: [8_999_900_000, 1_000_100_000, 2, 2, 2, 2], WireBytes.secret(ofPeer: false, 1),
      next: [1, 0], last: 0, run.ledger)
    try leaveChannel(
      run, peer: nil, WireBytes.secret(ofPeer: true, 1), next: [0, 1], last: 1, run.wallet,
      [1_000_100_000, 8_999_900_000, 2, 2, 2, 2])
    try run.finish()
    return run
  }

  private static func openAndNameKey(_ run: SampleRun) throws {
    let app = run.start("mainappd", pid: 100)
    try run.claim(1, "app", pid: 100, app, "never claimed before")
    try run.connect(1)
    try run.sendInit(1, epoch: 1, highest: 1, reestablish: reestablish(1, 0, none))
    try run.write(1, app)
    try run.receive(1, reestablish(1, 0, none))
    try run.receive(1, WireBytes.pushKey(pushKey))
    try run.makeInvoice(1, app, hashes[0], msat: 100_000)
    try end(run, app, 1, pid: 100)
  }

  private static func receiveByApp(_ run: SampleRun) throws {
    run.tick()
    try run.request(1, hashes[0], msat: 100_000)
    try run.announce(1, hashes[0], msat: 100_000, firstPush: 1)
    show(run, push: 2, hashes[0], pid: 200, process: 2)
    let app = run.start("mainappd", pid: 300)
    try run.claim(2, "app", pid: 300, app, "holder-died")
    try run.connect(2)
    try run.sendInit(2, epoch: 2, highest: 2, reestablish: reestablish(1, 0, none))
    run.tick()
    run.now -= 7_000_000
    try receiveReestablish(run, 2, reestablish(1, 0, none), offering: 1, htlc: 0)
    try run.receive(2, WireBytes.pushKey(pushKey), why: "the push key is known")
    try settleFirst(run, app)
    let hash = "\"\(WireBytes.hex(hashes[0]))\""
    app.event(
      "incoming", "{\"tidyAsked\":{}}", ["{\"remove\":{\"_0\":[{\"paymentHash\":\(hash)}]}}"], at: run.now)
    run.tick()
    app.event("incoming", "{\"removed\":{\"_0\":[\(hash)],\"changed\":[]}}", at: run.now)
    try end(run, app, 2, pid: 300, process: 3)
  }

  private static func missAndHear(_ run: SampleRun) throws {
    run.tick()
    try run.request(2, missed, msat: 50_000)
    try run.announce(2, missed, msat: 50_000, firstPush: 3)
    show(run, push: 4, missed, pid: 201, process: 4)
    let records = try records(of: run)
    try records.executeAll(recordsTable)
    try records.execute(
      "INSERT INTO incoming VALUES (2, ?, 50000, 'incomingHtlc', 1, NULL, 'incoming', 0)", [.blob(missed)])
    run.now += 60_000_000_000
    try run.ledger.execute(
      """
      UPDATE payments SET state = 'failed', settled_at_ns = ?, failure_code = 4103, failure = 'recipient-away'
      WHERE id = 2
      """, [.integer(run.stamp)])
    let app = run.start("mainappd", pid: 400)
    try run.claim(3, "app", pid: 400, app, "holder-died")
    try run.connect(3)
    try run.sendInit(
      3, epoch: 3, highest: 3, reestablish: reestablish(3, 2, WireBytes.secret(ofPeer: false, 1)))
    // With the peer's channel_reestablish.
    try run.send(3, [WireBytes.holdEnded(missed)])
    try run.receive(3, reestablish(3, 2, WireBytes.secret(ofPeer: true, 1)))
    try run.receive(3, WireBytes.pushKey(pushKey), why: "the push key is known")
    try end(run, app, 3, pid: 400, process: 5)
  }

  /// An extension stores the record of the push, shows it and ends.
  private static func show(_ run: SampleRun, push: Int64, _ hash: [UInt8], pid: Int64, process: Int64) {
    let journal = run.start("notifyonlyd", pid: pid)
    store(push, hash, in: journal, at: run.now)
    run.tick()
    journal.event(teller, "{\"incomingStored\":{\"push\":\(push)}}", at: run.now)
    run.phoneFinished(push)
    journal.end(at: run.now)
    run.ended(process, "extension", pid: pid, how: "exited", number: 0, reason: "ended when it was asked to")
  }

  private static let teller = "guard-telling-extension"

  private static func store(_ push: Int64, _ hash: [UInt8], in journal: TestJournal, at now: Int64) {
    journal.event(
      teller, "{\"pushArrived\":{}}",
      ["{\"storeIncoming\":{\"_0\":{\"paymentHash\":\"\(WireBytes.hex(hash))\"},\"push\":\(push)}}"], at: now)
  }

  /// Another extension stores the record of a payment of each number; `isAnswered`: it hears that it has.
  static func storeMore(_ run: SampleRun, _ numbers: Range<Int>, isAnswered: Bool = true) throws {
    let journal = run.start("notifyonlyd", pid: 600)
    for number in numbers {
      store(Int64(number), WireBytes.sha256(Array("record \(number)".utf8)), in: journal, at: run.now)
      run.tick()
      if isAnswered {
        journal.event(teller, "{\"incomingStored\":{\"push\":\(number)}}", at: run.now)
      }
    }
    journal.end(at: run.now)
    try journal.write(to: "\(run.home)/journal")
  }

  private static func end(
    _ run: SampleRun, _ app: TestJournal, _ connection: Int64, pid: Int64, process: Int64 = 1
  ) throws {
    try run.close(connection, "the other side disconnected")
    app.end(at: run.now)
    run.ended(process, "app", pid: pid, how: "exited", number: 0, reason: "ended when it was asked to")
  }
}
