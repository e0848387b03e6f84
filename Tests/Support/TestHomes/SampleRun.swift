import Foundation

/// A home directory as a run leaves it, written by SQL and with frames of the test's own making.
final class SampleRun {
  typealias Value = TestDatabase.Value

  let home: String
  let wallet: TestDatabase
  let ledger: TestDatabase
  let peer: TestJournal
  let phone: TestJournal
  var journals: [TestJournal] = []
  /// The run has just ended: a live one is judged by what lies behind the machine's clock.
  var now = Int64(ProcessInfo.processInfo.systemUptime * 1e9) - 100_000_000_000
  let container: [UInt8] = (1...16).map { UInt8($0) }
  static let hour: Int64 = 3_600_000_000_000
  static let seed = (0..<32).map { UInt8(200 - $0) }
  /// Of the node with that seed, as another library has it.
  static let node: [UInt8] =
    WireBytes.bytes("02a52d87c4187949c80644347b76ee57cacc84123ade0206b4a967d0524c46dcff")
  private(set) var peerRevision = 0
  private(set) var walletRevision = 0
  private var backup: [UInt8]?
  private var lastFence: Int64?
  private var pushRows: [String] = []
  private var notificationRows: [String] = []
  private var processRows: [String] = []

  private let isKept: Bool

  /// In a directory that goes with this object, or in a named one, which stays.
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
    try ledger.insert(
      "runs", [.integer(1), .integer(now), .integer(now + TestJournal.wallOffset), .integer(10), .integer(0)])
    peer.core(
      "peer",
      "{\"isLegacy\":false,\"state\":{\"channel\":{\"record\":{\"localMsat\":9000000000,\"remoteMsat\":1000000000,"
        + "\"localCommitmentNumber\":0,\"remoteCommitmentNumber\":0,\"revision\":0,\"htlcs\":[]}}}}",
      at: now)
    try wallet.insert("meta", [.text("container"), .blob(container)])
  }

  deinit { if !isKept { try? FileManager.default.removeItem(atPath: home) } }

  func tick() { now += 7_000_000 }

  /// What the daemons stamp lies a moment behind the journal's line.
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

  /// A claim whose answer its process has not written yet.
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
    _ epoch: Int64, _ journal: TestJournal, channel: Bool = true, invoice: String? = nil,
    received: (hash: [UInt8], msat: Int64)? = nil, sent: Sent? = nil, isRestore: Bool = false
  ) throws {
    tick()
    var parts = isRestore ? ["restored from the peer's backup"] : []
    if channel {
      parts.append("channel revision \(walletRevision)")
      walletRevision += 1
    }
    if invoice != nil { parts.append("new invoice") }
    if received != nil { parts.append("received 1") }
    if let sent { parts.append(sent.summary) }
    let receipts = received.map {
      "{\"invoice\":{\"paymentHash\":\"\(WireBytes.hex($0.hash))\"},\"amountMsat\":\($0.msat)}"
    }
    journal.event(
      "node", invoice.map { "{\"invoiceMade\":{\"_0\":\($0)}}" } ?? "{\"written\":{}}",
      ["{\"write\":{\"_0\":{\"received\":[\(receipts ?? "")]\(sent?.change ?? "")}}}"], at: now)
    try wallet.execute(
      "INSERT INTO node_writes (epoch, incarnation, what, at_mono_ns) VALUES (?, ?, ?, ?)",
      [
        .integer(epoch), .integer(incarnation(epoch)), .text(parts.joined(separator: ", ")),
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
    let tweak = WireBytes.sha256(hash)
    let expires = 1_800_000_000 + msat
    try write(
      epoch, journal, channel: false,
      invoice: "{\"paymentHash\":\"\(WireBytes.hex(hash))\",\"amountMsat\":\(msat),\"text\":\"caf\\u00e9\","
        + "\"tweak\":\"\(WireBytes.hex(tweak))\",\"expiresAt\":\(expires)}")
    try wallet.insert(
      "invoices", [.blob(hash), .integer(msat), .text("café"), .blob(tweak), .integer(expires)])
    tick()
    journal.event(
      "node", "{\"written\":{}}", ["{\"invoiceStored\":{\"paymentHash\":\"\(WireBytes.hex(hash))\"}}"],
      at: now)
  }

  // MARK: The peer

  /// One event of the peer: journalled, then in the ledger in one step.
  func event(
    _ event: String, _ changes: [String], out: [(connection: Int64, bytes: [UInt8])] = [],
    push: String? = nil
  ) throws {
    var directives = ["{\"store\":{\"_0\":[\(changes.joined(separator: ","))]}}"]
    if let push { directives.append("{\"requestPush\":{\"_0\":\(push)}}") }
    peer.event("peer", event, directives, at: now)
    for frame in out { try insertFrame(frame.connection, "out", frame.bytes, acted: true, why: nil) }
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

  /// A frame of the wallet's and what it leads to.
  func receive(
    _ connection: Int64, _ bytes: [UInt8], _ changes: [String] = [], changesChannel: Bool = false,
    out: [[UInt8]] = [], why: String? = nil, told: String? = nil
  ) throws {
    tick()
    let frame =
      why.map { "{\"frameIgnored\":{\"connection\":\(connection),\"_1\":\"\($0)\"}}" }
      ?? "{\"frameActedOn\":{\"connection\":\(connection)}}"
    try insertFrame(connection, "in", bytes, acted: why == nil, why: why)
    try event(
      "{\"received\":{\"connection\":\(connection)\(told.map { ",\"_1\":\($0)" } ?? "")}}",
      [frame] + changes + (changesChannel ? [channelChange()] : []), out: out.map { (connection, $0) })
  }

  func channelChange() -> String {
    peerRevision += 1
    return "{\"channel\":{\"_0\":{\"revision\":\(peerRevision)}}}"
  }

  /// `peer_storage`, as it goes out in front of every step.
  func store(_ connection: Int64) throws {
    let blob = WireBytes.sha256(Array("backup \(now)".utf8))
    try receive(connection, WireBytes.storage(blob))
    try ledger.execute(
      "INSERT INTO backups (at_ns, connection, blob) VALUES (?, ?, ?)",
      [.integer(stamp), .integer(connection), .blob(blob)])
    backup = blob
  }

  func connect(_ id: Int64, node: [UInt8] = SampleRun.node) throws {
    tick()
    try event(
      "{\"connected\":{}}",
      ["{\"connectionOpened\":{\"connection\":\(id),\"node\":\"\(WireBytes.hex(node))\"}}"])
    try ledger.execute(
      "INSERT INTO connections (id, opened_at_ns, opened_wall, node) VALUES (?, ?, ?, ?)",
      [.integer(id), .integer(stamp), .integer(now + TestJournal.wallOffset), .blob(node)])
  }

  func close(_ id: Int64, _ why: String) throws {
    tick()
    try event("{\"closed\":{}}", ["{\"connectionClosed\":{\"connection\":\(id),\"_1\":\"\(why)\"}}"])
    try ledger.execute(
      "UPDATE connections SET closed_at_ns = ?, closed_reason = ? WHERE id = ?",
      [.integer(stamp), .text(why), .integer(id)])
  }

  func greet(
    _ id: Int64, epoch: Int64, verdict: String = "accepted", highest: Int64, reestablish: [UInt8]?,
    splices: Bool = false, of other: [UInt8]? = nil, known: [UInt8]? = nil,
    replacing replaced: (epoch: Int64, container: [UInt8])? = nil
  ) throws {
    let accepted = verdict == "accepted"
    let container = other ?? container
    let incarnation = incarnation(epoch) - (other == nil ? 0 : 7)
    var out = [
      WireBytes.greetingAnswer(
        accepted: accepted, highest: highest, container: known ?? container, splices: splices)
    ]
    if accepted, let backup { out.append(WireBytes.retrieval(backup)) }
    if let reestablish { out.append(reestablish) }
    try receive(
      id,
      WireBytes.greeting(
        epoch: epoch, incarnation: incarnation, container: container, splices: splices, replacing: replaced),
      ["{\"connectionJudged\":{\"connection\":\(id),\"_1\":\"\(verdict)\"}}"], out: out)
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

  /// With a total it is a part, or a whole payment of a sender that knows the invoice's secret.
  func requestedChange(_ id: Int64, _ hash: [UInt8], msat: Int64, total: Int64? = nil) throws -> String {
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
    let data = total.map {
      ",\"paymentData\":{\"secret\":\"\(WireBytes.hex(secret))\",\"totalMsat\":\($0)}"
    }
    return "{\"paymentHeld\":{\"_0\":{\"id\":\(id),\"paymentHash\":\"\(WireBytes.hex(hash))\","
      + "\"amountMsat\":\(msat),\"holdUntil\":\(now + 60_000_000_000)\(data ?? "")}}}"
  }

  func offeredChange(_ id: Int64, htlc: Int64) throws -> String {
    try ledger.execute(
      """
      UPDATE payments SET state = 'offered', htlc = ?, offered_at_ns = ?,
        held_at_ns = CASE WHEN requested_at_ns = ? THEN NULL ELSE held_at_ns END WHERE id = ?
      """, [.integer(htlc), .integer(stamp), .integer(stamp), .integer(id)])
    return "{\"paymentOffered\":{\"payment\":\(id),\"htlc\":\(htlc)}}"
  }

  func paidChange(_ id: Int64, _ preimage: [UInt8]) throws -> String {
    try ledger.execute(
      "UPDATE payments SET state = 'paid', preimage = ?, settled_at_ns = ? WHERE id = ?",
      [.blob(preimage), .integer(stamp), .integer(id)])
    return "{\"paymentPaid\":{\"payment\":\(id),\"preimage\":\"\(WireBytes.hex(preimage))\"}}"
  }

  /// The row of a push that was delivered at once; gives what the journal says of it.
  func push(_ id: Int64, _ reason: String, _ hash: [UInt8], msat: Int64) throws -> String {
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
    return "{\"reason\":\"\(reason)\",\"paymentHash\":\"\(WireBytes.hex(hash))\",\"amountMsat\":\(msat)}"
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
    phone.event("phone", "{\"processEnded\":{\"_0\":\"\(role)\"}}", at: now)
  }

  /// Writes what is still in memory.
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
