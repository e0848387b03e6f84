import LightningIO
import LightningProvider

@testable import LSPd
@testable import Lightning

/// What one event writes, and what the next start reads.
@Suite("The ledger") final class LedgerTests {
  private let directory = TemporaryDirectory()
  private let made: TestLedger
  private var ledger: Ledger { made.ledger }

  init() throws { made = try TestLedger(directory.path) }

  private func request(_ id: UInt64, holdUntil: Instant) -> PaymentRequest {
    PaymentRequest(id: id, paymentHash: SHA256.hash([UInt8(id)]), amountMsat: 1000, holdUntil: holdUntil)
  }

  private func step(at second: Int64, _ changes: LedgerChange...) -> LedgerStep {
    LedgerStep(at: instant(second), wallNanoseconds: 0, changes: changes)
  }

  private func instant(_ second: Int64) -> Instant { Instant(nanoseconds: second * 1_000_000_000) }

  private func count(_ table: String) throws -> Int64? {
    try ledger.database.firstRow("SELECT count(*) FROM \(table)", [])?.integer(0)
  }

  @Test(arguments: ["pushes", "frames", "fence"])
  func `If a step cannot be written into the ledger, all steps of the same commit are rolled back`(
    table: String
  ) throws {
    let allow = try made.refuseRows(of: table)
    let before = step(at: 1, .paymentHeld(request(1, holdUntil: instant(60))))
    var refused = step(
      at: 1, .paymentHeld(request(2, holdUntil: instant(60))),
      .fence(Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 1, low: 1))))
    refused.outgoing = [LedgerStep.FrameBytes(connection: 1, bytes: [1])]
    refused.pushes = [PushRequest(reason: .incomingPayment)]
    #expect(throws: (any Error).self) { try ledger.commit([before, refused]) }
    for table in ["payments", "frames", "pushes", "fence"] { expect(try count(table), is: 0, "\(table)") }
    try allow()
    expect(try ledger.commit([before, refused]).count, is: 1)
    expect(try count("payments"), is: 2)
    for table in ["frames", "pushes", "fence"] { expect(try count(table), is: 1, "\(table)") }
  }

  @Test func `A held payment keeps its sender's deadline when lspd restarts`() throws {
    try ledger.commit([step(at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))))])
    let again = try made.again()
    let read = try PaymentTable.readUnresolved(again.database, at: instant(1010))
    expect(read.map(\.request.holdUntil), is: [instant(1060)])
    expect(read.map(\.isHeld), is: [true])
  }

  /// The clock counts from the boot: the remaining 60 s would become the previous boot's uptime.
  @Test func `A payment held before a reboot has no waiting time left after the reboot`() throws {
    try boot(1)
    try ledger.commit([step(at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))))])
    for second: Int64 in [5, 1010] {
      try boot(UInt64(second))
      let read = try PaymentTable.readUnresolved(ledger.database, at: ledger.time(instant(second)))
      expect(read.map(\.request.holdUntil), is: [instant(second)])
    }
  }

  @Test func `After a reboot the ledger's times are later than before, also with a lower clock`() throws {
    for (payment, boot, second) in [(UInt64(1), UInt64(1), Int64(1000)), (2, 2, 5), (3, 3, 900), (4, 3, 901)]
    {
      try self.boot(boot)
      try ledger.commit([step(at: second, .paymentHeld(request(payment, holdUntil: instant(second))))])
    }
    let times = try ledger.database.rows("SELECT requested_at_ns FROM payments ORDER BY id", []).map {
      try $0.integer(0)
    }
    #expect(times == times.sorted() && Set(times).count == 4)
    let read = try PaymentTable.list(ledger.database).map(\.requestedAtNs)
    expect(read, is: [1000, 5, 900, 901].map { instant($0).nanoseconds })
  }

  private func boot(_ number: UInt64) throws {
    try ledger.beginRun(
      at: instant(1), wallNanoseconds: 0, isLegacy: false, boot: BootID(high: number, low: 0))
  }

  /// As above.
  @Test func `A notification before a reboot delays no call after the reboot`() throws {
    let hook = Webhook(name: "a", url: "https://a.org/")
    let call = WebhookCall(number: 1, webhook: hook, notification: .paymentIncoming, nextAt: instant(1000))
    try boot(1)
    for change in [WebhookChange.set(hook), .called(call), .ended(call: 1, .answered(status: 200))] {
      try WebhookTables.write(
        change, of: .own, at: ledger.time(instant(1000)), wallNanoseconds: 0, to: ledger.database)
    }
    func noticed(_ second: Int64) throws -> Bool {
      let now = ledger.time(instant(second))
      var book = try #require(try WebhookTables.read(ledger.database, of: .own, at: now))
      var step = WebhookStep()
      book.notice(.paymentIncoming, WebhookRules(reach: .anywhere), at: instant(second), &step)
      return !step.orders.isEmpty
    }
    #expect(try !noticed(1001) && noticed(1061))
    try boot(2)
    #expect(try noticed(5) && noticed(1001))
  }

  @Test func `A webhook's cooldown and the time of an offer are those of the machine's boot`() throws {
    try boot(1)
    try boot(2)
    try ledger.commit([
      step(
        at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))), .paymentOffered(payment: 1, htlc: 1))
    ])
    let hook = Webhook(name: "a", url: "https://a.org/")
    let registration = WebhookCall(
      number: 1, webhook: hook, notification: .webhookRegistered, nextAt: instant(1000))
    for change in [WebhookChange.set(hook), .called(registration)] {
      try WebhookTables.write(
        change, of: .own, at: ledger.time(instant(1000)), wallNanoseconds: 0, to: ledger.database)
    }
    func changes(_ second: Int64) throws -> Bool {
      var book = try #require(
        try WebhookTables.read(ledger.database, of: .own, at: ledger.time(instant(second))))
      var step = WebhookStep()
      let request = WebhookRequest.set(name: "a", url: "https://b.org/").encoded(id: "1")
      book.hear(request, WebhookRules(reach: .anywhere), at: instant(second), &step)
      return !step.changes.isEmpty
    }
    func offer(_ second: Int64) throws -> Instant? {
      try PaymentTable.oldestOffer(ledger.database, of: .own, at: ledger.time(instant(second)))
    }
    #expect(try !changes(1001) && changes(1061) && offer(1001) == instant(1000))
    try boot(3)
    #expect(try changes(5) && changes(1001) && offer(5) == nil)
  }

  @Test func `The 257th boot is refused, as the ledger's times have no room for it`() throws {
    for number in 0..<256 { try boot(UInt64(number)) }
    try boot(7)
    #expect(throws: LedgerError.self) { try boot(256) }
    try boot(255)
  }

  @Test func `The newest push key counts, and ended holds stay in their order without forgotten ones`() throws
  {
    let keys = (1...2).compactMap { PrivateKey(SHA256.hash([UInt8($0)]))?.publicKey }
    let hashes = (1...3).map { SHA256.hash([UInt8($0)]) }
    try ledger.commit([
      step(at: 1, .pushKey(keys[0]), .holdEnded(paymentHash: hashes[0])),
      step(at: 2, .pushKey(keys[1]), .holdEnded(paymentHash: hashes[1])),
      step(at: 3, .holdEnded(paymentHash: hashes[2]), .endedHoldForgotten(paymentHash: hashes[1])),
      step(at: 4, .holdEnded(paymentHash: hashes[0])),
    ])
    let again = try made.again()
    expect(try AnnouncementTables.readPushKey(again.database), is: keys[1])
    expect(try AnnouncementTables.readEndedHolds(again.database)?.paymentHashes, is: [hashes[2], hashes[0]])
    expect(try count("ended_holds"), is: 4)
  }
}

/// The state that lspd has after a kill.
@Suite("The ledger's state at the next start") final class LedgerReadingTests {
  private let directory = TemporaryDirectory()
  private let made: TestLedger
  private var ledger: Ledger { made.ledger }
  private let now = Instant(nanoseconds: 1_000_000_000)

  init() throws { made = try TestLedger(directory.path) }

  @discardableResult
  private func commit(_ changes: LedgerChange..., pushes: [PushRequest] = []) throws -> [Int64] {
    try ledger.commit([LedgerStep(at: now, wallNanoseconds: 0, changes: changes, pushes: pushes)])
  }

  private func state() throws -> PeerState { try ledger.readState(newChannel: SHA256.hash([1]), at: now) }

  @Test func `From its ledger lspd reads the fence with the highest epoch`() throws {
    for epoch: UInt64 in [3, 5] {
      try commit(.fence(Claim(epoch: epoch, incarnation: epoch, container: ContainerID(high: 7, low: 7))))
    }
    expect(try state().fence, is: Claim(epoch: 5, incarnation: 5, container: ContainerID(high: 7, low: 7)))
  }

  @Test func `From its ledger lspd reads the latest backup`() throws {
    for byte: UInt8 in [1, 2] { try commit(.backup(connection: 1, [byte])) }
    expect(try state().backup, is: [2])
  }

  @Test func `From its ledger lspd reads a failed channel's first reason`() throws {
    #expect(try state().failure == nil)
    for (connection, why) in [(3, "wrong secret"), (4, "later")] as [(UInt64, String)] {
      try commit(.channelFailed(connection: connection, why))
    }
    expect(try state().failure, is: "wrong secret")
  }

  @Test func `From its ledger lspd reads only undelivered pushes`() throws {
    let requests = [UInt8(1), 2].map {
      PushRequest(reason: .incomingPayment, paymentHash: SHA256.hash([$0]), amountMsat: UInt64($0))
    }
    let ids = try commit(pushes: requests)
    try ledger.writePush(ids[0], .delivered, isOpen: false, at: now)
    try ledger.writePush(ids[1], .iosdAway, isOpen: true, at: now)
    let open = try ledger.readOpenPushes()
    expect(open.map(\.id), is: [ids[1]])
    expect(open.map(\.request), is: [requests[1]])
  }

  @Test func `From its ledger lspd reads which external invoices the wallet has paid`() throws {
    let invoices = [UInt8(1), 2].map { byte in
      let preimage = SHA256.hash([byte])
      return ExternalInvoice(
        paymentHash: SHA256.hash(preimage.bytes), amountMsat: 1000, paymentSecret: SHA256.hash([9]),
        preimage: preimage)
    }
    for invoice in invoices { try commit(.externalMade(invoice)) }
    try commit(.externalPaid(paymentHash: invoices[0].paymentHash, htlc: 0))
    let read = try state().externalInvoices
    expect(read.map(\.paymentHash), is: invoices.map(\.paymentHash))
    expect(read.map(\.isPaid), is: [true, false])
  }

  @Test func `At its start lspd marks the connections that an earlier lspd left open as closed`() throws {
    try commit(.connectionOpened(connection: 1), .connectionOpened(connection: 2))
    try commit(.connectionClosed(connection: 1, "the peer disconnected"))
    try ledger.beginRun(at: now, wallNanoseconds: 0, isLegacy: false)
    let reasons = try ledger.database.rows("SELECT closed_reason FROM connections ORDER BY id").map {
      try $0.text(0)
    }
    expect(reasons, is: ["the peer disconnected", "lspd ended with it open"])
    expect(try ledger.nextConnection(), is: 3)
  }

  @Test
  func `Of the payments with one hash the pending one is found, else the paid, else the newest`() throws {
    let hash = SHA256.hash([1])
    func ask(_ id: UInt64) throws {
      try commit(.paymentHeld(PaymentRequest(id: id, paymentHash: hash, amountMsat: 1000, holdUntil: now)))
    }
    func found() throws -> UInt64? { try PaymentTable.find(hash, number: nil, ledger.database)?.id }
    #expect(try found() == nil)
    for id: UInt64 in [1, 2] {
      try ask(id)
      try commit(.paymentFailed(payment: id, .recipientAway))
    }
    expect(try found(), is: 2)
    try ask(3)
    try commit(.paymentPaid(payment: 3, preimage: SHA256.hash([2])))
    try ask(4)
    expect(try found(), is: 4)
    try commit(.paymentFailed(payment: 4, .alreadyPaid))
    expect(try found(), is: 3)
    let outcome = try PaymentTable.find(hash, number: 4, ledger.database)?.outcome
    expect(outcome, is: .failed(.alreadyPaid))
  }

  /// One payment in each direction; one of them fails.
  @Test func `lspd's channel is read as written at each step of its payments`() throws {
    var ours = try Channel(id: SHA256.hash([1]), localMsat: 5000, remoteMsat: 2000, isOpener: true)
    var wallet = try Channel(id: SHA256.hash([1]), localMsat: 2000, remoteMsat: 5000, isOpener: false)
    let fromOurs = ours.reestablish()
    _ = try ours.receive(wallet.reestablish())
    _ = try wallet.receive(fromOurs)
    let preimage = SHA256.hash([2])
    let hash = SHA256.hash(preimage.bytes)
    let data = PaymentData(secret: SHA256.hash([3]), totalMsat: 1000)
    _ = try ours.offer(amountMsat: 1000, paymentHash: hash, cltvExpiry: 700, paymentData: data)
    _ = try wallet.offer(amountMsat: 500, paymentHash: hash, cltvExpiry: 701)
    var written: [ChannelRecord] = []
    func keep() throws {
      guard ours.record != written.last else { return }
      try commit(.channel(StoredChannel(ours)))
      written.append(ours.record)
      expect(try ChannelTables.provider().read(ledger.database), is: ours.record)
    }
    var isQuiet = false
    while !isQuiet {
      for htlc in wallet.committedHTLCs { try wallet.fulfill(htlc.id) }
      for htlc in ours.committedHTLCs { try ours.fail(htlc.id, code: 16399) }
      let (sent, received) = (ours.takeOutgoing(), wallet.takeOutgoing())
      try keep()
      isQuiet = sent.isEmpty && received.isEmpty
      for outgoing in received {
        _ = try ours.receive(message(outgoing, of: wallet, preimage))
        try keep()
      }
      for outgoing in sent { _ = try wallet.receive(message(outgoing, of: ours, preimage)) }
    }
    #expect((ours.localMsat, ours.htlcs) == (4000, []))
    expect(Set(written.map(\.sentRevocationLast)), is: [true, false])
    let removals = written.flatMap(\.htlcs).compactMap(\.removal)
    #expect(removals.contains(.fulfilled(preimage: preimage)))
    #expect(removals.contains(.failed(code: 16399)))
  }

  @Test func `lspd's ledger returns a splice as written at each stage, with the times of its start and end`()
    throws
  {
    var record = ChannelRecord(id: SHA256.hash([1]), isOpener: true, localMsat: 5000, remoteMsat: 2000)
    for stage in PendingSplice.Stage.allCases {
      record.splice = PendingSplice(
        isOurs: false, stage: stage, transaction: [2, 0, 0, 0], fundingIndex: 0, amountSat: 4, feeSat: 1)
      try commit(stored(record))
      expect(try ChannelTables.provider().read(ledger.database), is: record)
    }
    record.splicedTo = record.splice?.funding
    record.splice = nil
    try commit(stored(record))
    expect(try ChannelTables.provider().read(ledger.database), is: record)
    let rows = try ledger.database.rows("SELECT state, begun_at_ns, ended_at_ns FROM splices")
    expect(rows.map(\.values), is: [["done", .integer(now.nanoseconds), .integer(now.nanoseconds)]])
  }

  /// Columns that no channel would have.
  private func stored(_ record: ChannelRecord) throws -> LedgerChange {
    var channel = try Channel(id: record.id, localMsat: 1, remoteMsat: 1, isOpener: true)
    channel.record = record
    return .channel(StoredChannel(channel))
  }

  private func message(_ outgoing: ChannelOutgoing, of channel: Channel, _ preimage: Bytes32) -> Message {
    switch outgoing {
    case .message(let message): message
    case .fulfill(let id, _): channel.fulfilMessage(id, preimage: preimage)
    }
  }

  @Test func `Neither of two wallets reads the other's rows`() throws {
    let second = try ledger.wallet(ofPhone: "/phone")
    expect(second, is: WalletNumber(2))
    #expect(try ledger.wallet(ofPhone: "/phone") == second && ledger.wallets() == [.own, second])
    let hash = SHA256.hash([1])
    let key = try #require(PrivateKey(SHA256.hash([7]))).publicKey
    let own = try state()
    let request = PaymentRequest(id: 3, paymentHash: hash, amountMsat: 5, holdUntil: now)
    let channel = try ledger.readState(of: second, newChannel: SHA256.hash([8]), at: now).channel
    expect(channel.id, is: SHA256.hash([8]))
    try ledger.commit([
      LedgerStep(
        wallet: second, at: now, wallNanoseconds: 0,
        changes: [
          .paymentHeld(request), .channel(StoredChannel(channel)), .backup(connection: 3, [9]),
          .failuresOrdered(OrderedFailures(code: 4099, times: 1)), .orderedFailureUsed,
          .pushKey(key), .endedHoldForgotten(paymentHash: hash), .channelFailed(connection: 3, "mine"),
          .fence(Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 1, low: 1))),
        ], pushes: [PushRequest(reason: .incomingPayment, paymentHash: hash)])
    ])
    expect(try state(), is: own)
    #expect(try ledger.readOpenPushes().isEmpty && ledger.readOpenPushes(of: second).count == 1)
    let read = try ledger.readState(of: second, newChannel: .zero, at: now)
    expect(read.payments.map(\.request), is: [request])
    #expect((read.backup, read.pushKey, read.failure, read.fence?.epoch) == ([9], key, "mine", 1))
  }
}
