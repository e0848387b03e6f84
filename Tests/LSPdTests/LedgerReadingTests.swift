import LightningIO
import Ground
import Crypto
import Foundation
import Glibc
import LightningProvider
import Testing

@testable import LSPd
@testable import Lightning

/// The state that lspd has after a kill.
@Suite("The ledger's state at the next start")
final class LedgerReadingTests {
  private let directory: String
  private let made: TestLedger
  private var ledger: Ledger { made.ledger }
  private let now = Instant(nanoseconds: 1_000_000_000)

  init() throws {
    var template = Array("/tmp/baton-ledger-XXXXXX".utf8CString)
    directory = String(cString: try #require(mkdtemp(&template)))
    made = try TestLedger(directory)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  @discardableResult
  private func commit(_ changes: LedgerChange..., pushes: [PushRequest] = []) throws -> [Int64] {
    try ledger.commit([LedgerStep(at: now, wallNanoseconds: 0, changes: changes, pushes: pushes)])
  }

  private func state() throws -> PeerState { try ledger.readState(newChannel: SHA256.hash([1]), at: now) }

  @Test func `From its ledger lspd reads the fence with the highest epoch`() throws {
    for epoch: UInt64 in [3, 5] {
      try commit(.fence(Claim(epoch: epoch, incarnation: epoch, container: ContainerID(high: 7, low: 7))))
    }
    #expect(
      try state().fence == Claim(epoch: 5, incarnation: 5, container: ContainerID(high: 7, low: 7)))
  }

  @Test func `From its ledger lspd reads the latest backup`() throws {
    for byte: UInt8 in [1, 2] { try commit(.backup(connection: 1, [byte])) }
    #expect(try state().backup == [2])
  }

  @Test func `From its ledger lspd reads a failed channel's first reason`() throws {
    #expect(try state().failure == nil)
    for (connection, why) in [(3, "wrong secret"), (4, "later")] as [(UInt64, String)] {
      try commit(.channelFailed(connection: connection, why))
    }
    #expect(try state().failure == "wrong secret")
  }

  @Test func `From its ledger lspd reads only undelivered pushes`() throws {
    let requests = [UInt8(1), 2].map {
      PushRequest(reason: .incomingPayment, paymentHash: SHA256.hash([$0]), amountMsat: UInt64($0))
    }
    let ids = try commit(pushes: requests)
    try ledger.writePush(ids[0], .delivered, isOpen: false, at: now)
    try ledger.writePush(ids[1], .iosdAway, isOpen: true, at: now)
    let open = try ledger.readOpenPushes()
    #expect(open.map(\.id) == [ids[1]])
    #expect(open.map(\.request) == [requests[1]])
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
    #expect(read.map(\.paymentHash) == invoices.map(\.paymentHash))
    #expect(read.map(\.isPaid) == [true, false])
  }

  @Test func `At its start lspd marks the connections that an earlier lspd left open as closed`() throws {
    try commit(.connectionOpened(connection: 1), .connectionOpened(connection: 2))
    try commit(.connectionClosed(connection: 1, "the peer disconnected"))
    try ledger.beginRun(at: now, wallNanoseconds: 0, isLegacy: false)
    let reasons = try ledger.database.rows("SELECT closed_reason FROM connections ORDER BY id").map {
      try $0.text(0)
    }
    #expect(reasons == ["the peer disconnected", "lspd ended with it open"])
    #expect(try ledger.nextConnection() == 3)
  }

  @Test
  func `Of the payments with one hash the pending one is found, else the paid, else the newest`() throws {
    let hash = SHA256.hash([1])
    func ask(_ id: UInt64) throws {
      try commit(
        .paymentHeld(PaymentRequest(id: id, paymentHash: hash, amountMsat: 1000, holdUntil: now)))
    }
    func found() throws -> UInt64? { try PaymentTable.find(hash, number: nil, ledger.database)?.id }
    #expect(try found() == nil)
    for id: UInt64 in [1, 2] {
      try ask(id)
      try commit(.paymentFailed(payment: id, .recipientAway))
    }
    #expect(try found() == 2)
    try ask(3)
    try commit(.paymentPaid(payment: 3, preimage: SHA256.hash([2])))
    try ask(4)
    #expect(try found() == 4)
    try commit(.paymentFailed(payment: 4, .alreadyPaid))
    #expect(try found() == 3)
    let outcome = try PaymentTable.find(hash, number: 4, ledger.database)?.outcome
    #expect(outcome == .failed(.alreadyPaid))
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
      #expect(try ChannelTables.provider().read(ledger.database) == ours.record)
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
    #expect(Set(written.map(\.sentRevocationLast)) == [true, false])
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
      #expect(try ChannelTables.provider().read(ledger.database) == record)
    }
    record.splicedTo = record.splice?.funding
    record.splice = nil
    try commit(stored(record))
    #expect(try ChannelTables.provider().read(ledger.database) == record)
    let rows = try ledger.database.rows("SELECT state, begun_at_ns, ended_at_ns FROM splices")
    #expect(rows.map(\.values) == [["done", .integer(now.nanoseconds), .integer(now.nanoseconds)]])
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
    #expect(second == WalletNumber(2))
    #expect(try ledger.wallet(ofPhone: "/phone") == second && ledger.wallets() == [.own, second])
    let hash = SHA256.hash([1])
    let key = try #require(PrivateKey(SHA256.hash([7]))).publicKey
    let own = try state()
    let request = PaymentRequest(id: 3, paymentHash: hash, amountMsat: 5, holdUntil: now)
    let channel = try ledger.readState(of: second, newChannel: SHA256.hash([8]), at: now).channel
    #expect(channel.id == SHA256.hash([8]))
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
    #expect(try state() == own)
    #expect(try ledger.readOpenPushes().isEmpty && ledger.readOpenPushes(of: second).count == 1)
    let read = try ledger.readState(of: second, newChannel: .zero, at: now)
    #expect(read.payments.map(\.request) == [request])
    #expect((read.backup, read.pushKey, read.failure, read.fence?.epoch) == ([9], key, "mine", 1))
  }
}
