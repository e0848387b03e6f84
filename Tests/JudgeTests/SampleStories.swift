import CSodium
import TestKit

@testable import Judge
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
    try run.receive(connection, SpliceBytes.txAddInput, out: [SpliceBytes.txComplete])
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
    try run.receive(2, reestablish(1, 0, none) + SpliceBytes.fundings(next: true), out: [SpliceBytes.commit])
    try run.receive(2, SpliceBytes.commit, out: [SpliceBytes.txSignatures])
    try run.write(1, app)
  }

  private static func forget(_ run: SampleRun, _ app: TestJournal) throws {
    try run.close(1, "connection reset")
    try connect(run, 2)
    try run.receive(2, reestablish(1, 0, none) + SpliceBytes.fundings(next: true), out: [SpliceBytes.txAbort])
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

/// The frames of one splice as BOLT 2 lays them out, and its transaction as BIP 144 does: 20,000 sat to an external
/// key, at 1000 sat per kw.
enum SpliceBytes {
  static let amountSat: UInt64 = 20_000
  /// BOLT 3's weight of such a transaction is 724.
  static let feeSat: UInt64 = 724
  /// What stays of the channel's first 10,000,000 sat.
  static let remainingSat: UInt64 = 10_000_000 - amountSat - feeSat
  static let peerKey: [UInt8] = [2] + WireBytes.sha256([7])
  static let target: [UInt8] = [0, 20] + [UInt8](repeating: 0x5C, count: 20)
  static let funding: [UInt8] =
    [0, 32]
    + WireBytes.sha256(
      [0x52, 33]
        + ([peerKey, SampleRun.node].sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [33]))
        + [0x52, 0xae])
  private static let channel = WireBytes.channel

  private static func number(_ value: UInt64, _ count: Int) -> [UInt8] { WireBytes.number(value, count) }
  private static func reversed(_ value: UInt64, _ count: Int) -> [UInt8] { number(value, count).reversed() }

  static let transaction: [UInt8] =
    reversed(2, 4) + [1] + channel + reversed(0, 4) + [0] + reversed(0xffff_fffd, 4) + [2]
    + reversed(remainingSat, 8) + [34] + funding + reversed(amountSat, 8) + [22] + target + reversed(0, 4)
  static let txid = WireBytes.sha256(WireBytes.sha256(transaction))

  static func stfu(_ isInitiator: Bool) -> [UInt8] { [0, 2] + channel + [isInitiator ? 1 : 0] }

  static let spliceInit: [UInt8] =
    [0, 80] + channel + number(UInt64(bitPattern: -Int64(amountSat + feeSat)), 8) + number(1000, 4)
    + number(0, 4) + SampleRun.node
  static let spliceAck: [UInt8] = [0, 81] + channel + number(0, 8) + peerKey
  static let txAddInput: [UInt8] =
    [0, 66] + channel + number(0, 8) + [0, 0] + number(0, 4) + number(0xffff_fffd, 4) + [0, 32] + channel

  static func txAddOutput(_ serial: UInt64, _ satoshis: UInt64, _ script: [UInt8]) -> [UInt8] {
    [0, 67] + channel + number(serial, 8) + number(satoshis, 8) + number(UInt64(script.count), 2) + script
  }

  static let outputs = [txAddOutput(2, remainingSat, funding), txAddOutput(4, amountSat, target)]
  static let txComplete: [UInt8] = [0, 70] + channel
  static let commit: [UInt8] = WireBytes.commit(signatures: 0) + [1, 32] + txid
  static let txSignatures: [UInt8] =
    [0, 71] + channel + txid + [0, 0, 0, 64] + [UInt8](repeating: 0, count: 64)
  static let spliceLocked: [UInt8] = [0, 77] + channel + txid
  static let txAbort: [UInt8] = [0, 74] + channel + [0, 0]

  /// The TLVs of a `channel_reestablish`.
  static func fundings(next: Bool? = nil, locked: [UInt8] = channel) -> [UInt8] {
    (next.map { [1, 33] + txid + [$0 ? 1 : 0] } ?? []) + [5, 33] + locked + [0]
  }
}

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
      if isAnswered { journal.event(teller, "{\"incomingStored\":{\"push\":\(number)}}", at: run.now) }
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

// The seed as iosd's keychain stores it, in place of the file.
extension SampleRun {
  static let keychainKey = (0..<32).map { UInt8($0) }

  static let group = "A1B2C3D4E5.com.example.lightning"

  func sealSeed(with key: [UInt8]) throws {
    try FileManager.default.removeItem(atPath: "\(home)/Keychain/wallet-seed")
    try seal(Self.seed, in: Self.group, with: key, as: "1")
  }

  /// Seals an item of any keychain group.
  func seal(
    _ seed: [UInt8], in group: String, account: String = "wallet-seed", with key: [UInt8] = keychainKey,
    as name: String
  ) throws {
    let header = Array("\(group)\n\(account)\nafter-first-unlock".utf8)
    let nonce = (0..<12).map { UInt8(100 + $0) }
    var sealed = [UInt8](repeating: 0, count: seed.count + 16)
    crypto_aead_chacha20poly1305_ietf_encrypt(
      &sealed, nil, seed, UInt64(seed.count), header, UInt64(header.count), nil, nonce, key)
    let item =
      "{\"group\":\"\(group)\",\"account\":\"\(account)\",\"protection\":\"after-first-unlock\","
      + "\"nonce\":\"\(WireBytes.hex(nonce))\",\"sealed\":\"\(WireBytes.hex(sealed))\"}\n"
    try FileManager.default.createDirectory(
      atPath: "\(home)/Keychain/items", withIntermediateDirectories: true)
    try item.write(toFile: "\(home)/Keychain/items/\(name).item", atomically: false, encoding: .utf8)
    try Data(Self.keychainKey).write(to: URL(fileURLWithPath: "\(home)/os/keychain.key"))
  }
}

/// Another process with an open database: the kernel reports locks by process.
final class Holder {
  private let process = Process()
  private let input = Pipe()

  init(_ database: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "\(Started.directory)/TestReader")
    process.arguments = [database]
    process.standardInput = input
    process.standardOutput = output
    try process.start()
    _ = output.fileHandleForReading.availableData
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
