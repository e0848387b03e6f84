import Foundation

/// A home directory as a run leaves it, written by SQL and with handmade frames.
final class SampleRun {
  typealias Value = TestDatabase.Value

  let home: String
  let wallet: TestDatabase
  let ledger: TestDatabase
  let peer: TestJournal
  let phone: TestJournal
  var journals: [TestJournal] = []
  /// The run has just ended: of a live run only evidence before the machine's clock counts.
  var now = Int64(ProcessInfo.processInfo.systemUptime * 1e9) - 100_000_000_000
  let container: [UInt8] = (1...16).map { UInt8($0) }
  static let hour: Int64 = 3_600_000_000_000
  static let seed = (0..<32).map { UInt8(200 - $0) }
  /// The node id of that seed, computed by another library.
  static let node: [UInt8] =
    WireBytes.bytes("02a52d87c4187949c80644347b76ee57cacc84123ade0206b4a967d0524c46dcff")
  private(set) var walletRevision = 0
  private var backup: [UInt8]?
  private var lastFence: Int64?
  private var pushRows: [String] = []
  private var notificationRows: [String] = []
  private var processRows: [String] = []

  private let isKept: Bool

  /// In a directory removed with this object, or in a named one, which stays.
  init(home named: String? = nil) throws {
    isKept = named != nil
    home = named ?? NSTemporaryDirectory() + "judge-test-\(UUID().uuidString)"
    for directory in ["lsp", "AppGroup", "journal", "Keychain", "os"] {
      try FileManager.default.createDirectory(
        atPath: "\(home)/\(directory)", withIntermediateDirectories: true)
    }
    wallet = try TestDatabase("\(home)/AppGroup/node.sqlite")
    ledger = try TestDatabase("\(home)/lsp/ledger.sqlite")
    try wallet.executeAll(SampleSchema.wallet)
    try ledger.executeAll(SampleSchema.ledger)
    peer = TestJournal("lspd", pid: 10, startTime: 77, at: now)
    phone = TestJournal("iosd", pid: 11, startTime: 78, at: now)
    phone.core("phone", "{\"enforcesLimits\":true}", at: now)
    tick()
    try ledger.execute(
      "INSERT INTO runs (id, started_at_ns, started_wall_ns, pid, legacy) VALUES (1, ?, ?, 10, 0)",
      [.integer(now), .integer(now + TestJournal.wallOffset)])
    peer.core(
      "peer",
      "{\"isLegacy\":false,\"state\":{\"channel\":{\"record\":{\"localMsat\":9000000000,\"remoteMsat\":1000000000,"
        + "\"localCommitmentNumber\":0,\"remoteCommitmentNumber\":0,\"revision\":0,\"htlcs\":[]}}}}", at: now)
    try wallet.insert("meta", [.text("container"), .blob(container)])
  }

  deinit { if !isKept { try? FileManager.default.removeItem(atPath: home) } }

  func tick() { now += 7_000_000 }

  /// A daemon's stamp is a moment after the journal's line.
  var stamp: Int64 { now + 20_000 }

  // MARK: The wallet's processes

  func start(_ process: String, pid: Int64) -> TestJournal {
    tick()
    let journal = TestJournal(process, pid: pid, startTime: pid * 3, at: now)
    journal.core("node", "{\"terms\":{\"walletMsat\":1000000000,\"providerMsat\":9000000000}}", at: now)
    journals.append(journal)
    return journal
  }

  func incarnation(_ epoch: Int64) -> Int64 { -1_000_000 * epoch }

  func claim(
    _ epoch: Int64, _ role: String, pid: Int64, _ journal: TestJournal, _ reason: String,
    isRaised: Bool = false
  ) throws {
    try askAndCommit(epoch, role, pid: pid, journal, reason, isRaised: isRaised)
    tick()
    let high = container[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = container[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    journal.event(
      "guard-\(role)",
      "{\"claimed\":{\"_0\":{\"epoch\":\(epoch),\"incarnation\":\(UInt64(bitPattern: incarnation(epoch))),"
        + "\"container\":{\"high\":\(high),\"low\":\(low)}}}}", at: now)
  }

  /// A claim whose answer is not in its process's journal yet.
  func askAndCommit(
    _ epoch: Int64, _ role: String, pid: Int64, _ journal: TestJournal, _ reason: String,
    orderedBefore: [String] = [], isRaised: Bool = false
  ) throws {
    tick()
    let bootNs = now + 1000
    journal.event(
      "guard-\(role)", "{\"observed\":{\"_0\":{\"bootClock\":\(bootNs)}}}",
      orderedBefore + [
        isRaised
          ? "{\"raiseEpoch\":{\"_0\":{\"epoch\":\(epoch - 1)}}}"
          : "{\"claim\":{\"seen\":\(epoch - 1),\"reason\":\"\(reason)\"}}"
      ], at: now)
    try wallet.insert(
      "claims",
      [
        .integer(epoch), .text(role), .integer(pid), .integer(pid * 3), .integer(TestJournal.boot.high),
        .integer(TestJournal.boot.low), .integer(incarnation(epoch)), .integer(bootNs + 5),
        .integer(now + TestJournal.wallOffset + 5), .integer(epoch - 1), .text(reason),
      ])
  }

  /// One fenced write. `received` is the hash and amount of a payment accepted in it.
  func write(
    _ epoch: Int64, _ journal: TestJournal, channel: Bool = true, invoice: Bool = false,
    received: (hash: [UInt8], msat: Int64)? = nil, sent: String? = nil, isRestore: Bool = false
  ) throws {
    tick()
    var parts = isRestore ? ["restored=1"] : []
    if channel {
      parts.append("revision=\(walletRevision)")
      walletRevision += 1
    }
    if invoice { parts.append("invoice=1") }
    if received != nil { parts.append("received=1") }
    if let sent { parts.append(sent) }
    journal.event("node", "{\"written\":{}}", ["{\"write\":{}}"], at: now)
    try wallet.execute(
      "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (?, ?, ?, ?)",
      [
        .integer(epoch), .integer(incarnation(epoch)), .text(parts.joined(separator: " ")),
        .integer(now + 10_000),
      ])
    if let received {
      try wallet.execute(
        "INSERT INTO received_payments (payment_hash, amount_msat, epoch, received_wall_ns) VALUES (?, ?, ?, ?)",
        [
          .blob(received.hash), .integer(received.msat), .integer(epoch),
          .integer(now + TestJournal.wallOffset + 9),
        ])
    }
  }

  func makeInvoice(_ epoch: Int64, _ journal: TestJournal, _ hash: [UInt8], msat: Int64) throws {
    try write(epoch, journal, channel: false, invoice: true)
    try wallet.insert(
      "invoices",
      [
        .blob(hash), .integer(msat), .text("café"), .blob(WireBytes.sha256(hash)),
        .integer(1_800_000_000 + msat),
      ])
    tick()
    journal.event(
      "node", "{\"written\":{}}", ["{\"invoiceStored\":{\"paymentHash\":\"\(WireBytes.hex(hash))\"}}"],
      at: now)
  }

  // MARK: The peer

  /// Messages that the peer sends on its own.
  func send(_ connection: Int64, _ frames: [[UInt8]]) throws {
    for bytes in frames { try insertFrame(connection, "out", bytes, acted: true, why: nil) }
  }

  private func insertFrame(
    _ connection: Int64, _ direction: String, _ bytes: [UInt8], acted: Bool, why: String?
  ) throws {
    try ledger.execute(
      "INSERT INTO frames (connection, direction, at_ns, bytes, acted, why_not) VALUES (?, ?, ?, ?, ?, ?)",
      [
        .integer(connection), .text(direction), .integer(stamp), .blob(bytes), .integer(acted ? 1 : 0),
        why.map { .text($0) } ?? .null,
      ])
  }

  /// A frame of the wallet and the peer's answers.
  func receive(_ connection: Int64, _ bytes: [UInt8], out: [[UInt8]] = [], why: String? = nil) throws {
    tick()
    try insertFrame(connection, "in", bytes, acted: why == nil, why: why)
    peer.event(
      "peer", "{\"received\":{\"connection\":\(connection)}}",
      ["{\"store\":{\"_0\":[{\"frameActedOn\":{\"connection\":\(connection)}}]}}"], at: now)
    try send(connection, out)
  }

  /// `peer_storage`, as sent before every step.
  func store(_ connection: Int64) throws {
    let blob = Array("backup \(now)".utf8)
    let hash = WireBytes.sha256(blob)
    try receive(connection, WireBytes.storage(hash))
    try ledger.execute(
      "INSERT INTO backups (at_ns, connection, blob) VALUES (?, ?, ?)",
      [.integer(stamp), .integer(connection), .blob(blob)])
    backup = hash
  }

  func connect(_ id: Int64, node: [UInt8] = SampleRun.node) throws {
    tick()
    try ledger.execute(
      "INSERT INTO connections (id, opened_at_ns, opened_wall, node) VALUES (?, ?, ?, ?)",
      [.integer(id), .integer(stamp), .integer(now + TestJournal.wallOffset), .blob(node)])
  }

  func close(_ id: Int64, _ why: String) throws {
    tick()
    try ledger.execute(
      "UPDATE connections SET closed_at_ns = ?, closed_reason = ? WHERE id = ?",
      [.integer(stamp), .text(why), .integer(id)])
  }

  func sendInit(
    _ id: Int64, epoch: Int64, verdict: String = "accepted", highest: Int64, reestablish: [UInt8]?,
    splices: Bool = false, of other: [UInt8]? = nil, known: [UInt8]? = nil,
    replacing replaced: (epoch: Int64, container: [UInt8])? = nil
  ) throws {
    let accepted = verdict == "accepted"
    let container = other ?? container
    let incarnation = incarnation(epoch) - (other == nil ? 0 : 7)
    var out = splices ? [WireBytes.hello(true)] : []
    out.append(WireBytes.fenceAnswer(accepted: accepted, highest: highest, container: known ?? container))
    if accepted, let backup { out.append(WireBytes.retrieval(backup)) }
    if let reestablish { out.append(reestablish) }
    try receive(
      id,
      WireBytes.initMessage(
        epoch: epoch, incarnation: incarnation, container: container, splices: splices, replacing: replaced),
      out: out)
    try ledger.execute(
      "UPDATE connections SET epoch = ?, incarnation = ?, container = ?, verdict = ?, judged_at_ns = ? WHERE id = ?",
      [
        .integer(epoch), .integer(incarnation), .blob(container), .text(verdict), .integer(stamp),
        .integer(id),
      ])
    guard accepted, epoch != lastFence else { return }
    lastFence = epoch
    try ledger.execute(
      "INSERT INTO fence (epoch, incarnation, container, at_ns) VALUES (?, ?, ?, ?)",
      [.integer(epoch), .integer(incarnation), .blob(container), .integer(stamp)])
  }

  // MARK: Payments

  /// With a total it is a part, or a whole payment whose sender knows the invoice's payment secret.
  func request(_ id: Int64, _ hash: [UInt8], msat: Int64, total: Int64? = nil) throws {
    let secret = WireBytes.secret(of: hash)
    try ledger.execute(
      """
      INSERT INTO payments (id, payment_hash, amount_msat, state, requested_at_ns, hold_until_ns, held_at_ns,
        payment_secret, total_msat)
      VALUES (?, ?, ?, 'held', ?, ?, ?, ?, ?)
      """,
      [
        .integer(id), .blob(hash), .integer(msat), .integer(stamp), .integer(now + 60_000_000_000),
        .integer(stamp), total == nil ? .null : .blob(secret), total.map { .integer($0) } ?? .null,
      ])
  }

  func offer(_ id: Int64, htlc: Int64) throws {
    try ledger.execute(
      """
      UPDATE payments SET state = 'offered', htlc = ?, offered_at_ns = ?,
        held_at_ns = CASE WHEN requested_at_ns = ? THEN NULL ELSE held_at_ns END WHERE id = ?
      """, [.integer(htlc), .integer(stamp), .integer(stamp), .integer(id)])
  }

  func pay(_ id: Int64, _ preimage: [UInt8]) throws {
    try ledger.execute(
      "UPDATE payments SET state = 'paid', preimage = ?, settled_at_ns = ? WHERE id = ?",
      [.blob(preimage), .integer(stamp), .integer(id)])
  }

  /// A push that was delivered at once.
  func push(_ id: Int64, _ reason: String, _ hash: [UInt8], msat: Int64) throws {
    try ledger.insert(
      "pushes",
      [
        .integer(id), .integer(stamp), .text(reason), .blob(hash), .integer(msat), .integer(1),
        .integer(stamp + 900_000), .text("delivered"), .integer(0),
      ])
    pushRows.append(
      "{\"id\":\(id),\"visible\":true,\"mutable_content\":true,\"wall_ns\":1,\"at_ns\":\(stamp)}")
    notificationRows.append(
      "{\"id\":\(id),\"push\":\(id),\"source\":\"content\",\"title\":\"a\",\"body\":\"b\",\"at_ns\":\(stamp)}"
    )
    phone.event(
      "phone", "{\"pushArrived\":{\"_0\":{\"id\":\(id)}}}",
      ["{\"tell\":{\"_0\":\"extension\",\"_1\":{\"push\":{\"id\":\(id),\"deadlineMilliseconds\":30000}}}}"],
      at: now + 1_000_000)
  }

  /// Bitkit's pair of pushes for a payment that was requested, both delivered at once; the extension shows the alert.
  func announce(_ payment: Int64, _ hash: [UInt8], msat: Int64, firstPush id: Int64) throws {
    for (push, kind) in [(id, "silent"), (id + 1, "alert")] {
      try ledger.execute(
        """
        INSERT INTO pushes (id, at_ns, reason, payment_hash, amount_msat, attempts, last_at_ns, outcome, is_open, kind,
          payment, hold_until_ns) VALUES (?, ?, 'IncomingPayment', ?, ?, 1, ?, 'delivered', 0, ?, ?, ?)
        """,
        [
          .integer(push), .integer(stamp), .blob(hash), .integer(msat), .integer(stamp + 900_000),
          .text(kind),
          .integer(payment), .integer(now + 60_000_000_000),
        ])
    }
    pushRows.append("{\"id\":\(id),\"visible\":false,\"silent\":true,\"wall_ns\":1,\"at_ns\":\(stamp)}")
    pushRows.append(
      "{\"id\":\(id + 1),\"visible\":true,\"mutable_content\":true,\"wall_ns\":1,\"at_ns\":\(stamp)}")
    notificationRows.append(
      "{\"id\":\(notificationRows.count + 1),\"push\":\(id + 1),\"source\":\"content\",\"title\":\"a\",\"body\":\"b\",\"at_ns\":\(stamp)}"
    )
    phone.event(
      "phone", "{\"pushArrived\":{\"_0\":{\"id\":\(id + 1)}}}",
      [
        "{\"tell\":{\"_0\":\"extension\",\"_1\":{\"push\":{\"id\":\(id + 1),\"deadlineMilliseconds\":30000}}}}"
      ], at: now + 1_000_000)
  }

  func phoneFinished(_ push: Int64) {
    phone.event("phone", "{\"serviceFinished\":{\"push\":\(push),\"reason\":\"idle\"}}", at: now)
  }

  func ended(_ id: Int64, _ role: String, pid: Int64, how: String, number: Int, reason: String) {
    let start = "{\"id\":\(id),\"role\":\"\(role)\",\"pid\":\(pid)"
    processRows.append(start + "}")
    processRows.append(
      start + ",\"how\":\"\(how)\",\"number\":\(number),\"reason\":\"\(reason)\",\"crashed\":false,"
        + "\"peak_footprint_bytes\":5000000,\"ended_at_ns\":\(now)}")
    phone.event(
      "phone", "{\"processEnded\":{\"_0\":\"\(role)\"}}", ["{\"recordEnd\":{\"_0\":\"\(role)\"}}"], at: now)
  }

  /// Writes journals and rows that are still in memory.
  func finish() throws {
    tick()
    peer.end(at: now)
    phone.end(at: now)
    for journal in journals + [peer, phone] { try journal.write(to: "\(home)/journal") }
    for (name, rows) in [
      ("pushes", pushRows), ("notifications", notificationRows), ("processes", processRows),
    ] {
      let text = rows.map { $0 + "\n" }.joined()
      try text.write(toFile: "\(home)/os/\(name).jsonl", atomically: false, encoding: .utf8)
    }
    try Data(Self.seed).write(to: URL(fileURLWithPath: "\(home)/Keychain/wallet-seed"))
    try Data(count: 1024).write(to: URL(fileURLWithPath: "\(home)/AppGroup/heartbeat"))
  }
}
