import Crypto
import Database
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import LightningWire
import LightningChannel
import LightningNode
import SharedContainer
import Testing
import WalletStore

/// A container of an older version, with a pending payment.
@Suite("A container of an older version")
final class OlderDatabaseTests {
  private let scratch: ScratchContainer

  init() throws { scratch = try ScratchContainer() }

  /// A wallet's channel with one HTLC.
  private func channel(_ data: PaymentData?) throws -> Channel {
    var peer = try Channel(id: SHA256.hash([1]), localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: SHA256.hash([1]), localMsat: 0, remoteMsat: 5000, isOpener: false)
    let fromPeer = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(fromPeer)
    _ = try peer.offer(
      amountMsat: 1000, paymentHash: SHA256.hash([2]), cltvExpiry: 700, paymentData: data)
    for case .message(let message) in peer.takeOutgoing() { _ = try wallet.receive(message) }
    return wallet
  }

  @Test
  func `A container of the first schema keeps its channel and then stores an HTLC's payment data`() throws {
    let old = [WalletSchema.migrations[0]]
    let before = try channel(nil)
    do {
      let container = try scratch.open(old)
      let database = try Connection(path: container.layout.database, access: .readWrite)
      try insert(before.record, into: database)
    }
    let container = try scratch.open()
    let (first, state) = try scratch.claim(container, seen: 0)
    #expect(state.channel?.record == before.record)
    var after = try channel(PaymentData(secret: SHA256.hash([3]), totalMsat: .max)).record
    after.revision = before.revision + 1
    let change = NodeChange(channel: try Channel(restoring: after))
    try scratch.write(change, first, container)
    #expect(try scratch.claim(container, seen: 1).1.channel?.record == after)
  }

  @Test
  func `A container from before outgoing payments keeps its state and then stores outgoing payments`() throws
  {
    let record = try channel(PaymentData(secret: SHA256.hash([3]), totalMsat: 2000)).record
    let paid = Invoice(
      paymentHash: SHA256.hash([4]), amountMsat: 700, text: "paid", tweak: SHA256.hash([5]), expiresAt: 9)
    let open = Invoice(
      paymentHash: SHA256.hash([6]), amountMsat: 800, text: "open", tweak: SHA256.hash([7]), expiresAt: 10)
    do {
      let container = try scratch.open(Array(WalletSchema.migrations.prefix(2)))
      let database = try Connection(path: container.layout.database, access: .readWrite)
      try insert(record, into: database)
      for invoice in [paid, open] {
        try database.execute(
          "INSERT INTO invoices VALUES (?, ?, ?, ?, ?)",
          [
            .blob(invoice.paymentHash.bytes), .bits(invoice.amountMsat), .text(invoice.text),
            .blob(invoice.tweak.bytes), .integer(invoice.expiresAt),
          ])
      }
      try database.execute(
        "INSERT INTO received_payments VALUES (1, ?, 700, 1, 2)", [.blob(paid.paymentHash.bytes)])
    }
    let container = try scratch.open()
    let (first, state) = try scratch.claim(container, seen: 0)
    #expect(state.channel?.record == record)
    #expect(state.invoices == [open])
    #expect(state.payments == OutgoingPayments())
    let received = try scratch.read(container) { reader in
      try reader.rows("SELECT amount_msat FROM received_payments").map { try $0.integer(0) }
    }
    #expect(received == [700])
    var own = OutgoingPayment(
      paymentHash: SHA256.hash([8]), amountMsat: 5000, paymentSecret: SHA256.hash([9]))
    own.htlc = 0
    try scratch.write(NodeChange(payments: PaymentChange(offered: [own])), first, container)
    #expect(try scratch.claim(container, seen: 1).1.payments == OutgoingPayments(pending: [own]))
  }

  @Test
  func `A container of the third schema keeps its outgoing payments and repeats no paid or pending one`()
    throws
  {
    let payments = (0..<3).map { number in
      OutgoingPayment(
        paymentHash: SHA256.hash([10, UInt8(number)]), amountMsat: 5000, paymentSecret: SHA256.hash([9]),
        htlc: UInt64(number))
    }
    do {
      let container = try scratch.open(Array(WalletSchema.migrations.prefix(3)))
      let database = try Connection(path: container.layout.database, access: .readWrite)
      try insert(payments[0], "'paid', x'01', NULL", "1, 0", into: database)
      try insert(payments[1], "'failed', NULL, 16399", "1, 0", into: database)
      try insert(payments[2], "'pending', NULL, NULL", "NULL, NULL", into: database)
    }
    let container = try scratch.open()
    let (first, state) = try scratch.claim(container, seen: 0)
    #expect(state.payments == OutgoingPayments(pending: [payments[2]]))
    let past = try scratch.read(container) { reader in
      try payments.map { try OutgoingPaymentTable.past($0.paymentHash, reader) }
    }
    #expect(past == [.paid, nil, nil])
    for again in [payments[0], payments[2]] {
      #expect(throws: SystemError.self) {
        try scratch.write(NodeChange(payments: PaymentChange(offered: [again])), first, container)
      }
    }
    // A failed payment may be tried again.
    try scratch.write(NodeChange(payments: PaymentChange(offered: [payments[1]])), first, container)
    #expect(try scratch.claim(container, seen: 1).1.payments.pending == [payments[2], payments[1]])
  }

  /// Inserts as the older version did, with the columns of the payment's end.
  private func insert(
    _ payment: OutgoingPayment, _ end: String, _ when: String, into database: Connection
  ) throws {
    try database.execute(
      "INSERT INTO outgoing_payments VALUES (NULL, ?, ?, ?, ?, \(end), 1, 0, \(when))",
      [
        .blob(payment.paymentHash.bytes), try .unsigned(payment.amountMsat),
        .blob(payment.paymentSecret.bytes), try .unsigned(payment.htlc ?? 0),
      ])
  }

  /// Inserts as the older version did.
  private func insert(_ record: ChannelRecord, into database: Connection) throws {
    try database.execute(
      "INSERT INTO channels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(record.id.bytes), 0, .bits(record.localMsat), .bits(record.remoteMsat),
        .bits(record.localCommitmentNumber), .bits(record.remoteCommitmentNumber),
        .bits(record.revocationsSent), .bits(record.revocationsReceived),
        .blob(record.lastReceivedSecret.bytes), .bits(record.nextOfferedID), .bits(record.nextReceivedID),
        .integer(record.sentRevocationLast ? 1 : 0), .bits(record.revision),
      ])
    for htlc in record.htlcs {
      try database.execute(
        "INSERT INTO htlcs (channel, direction, id, amount_msat, payment_hash, cltv_expiry, state) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          .blob(record.id.bytes), .text("\(htlc.direction)"), .bits(htlc.id), .bits(htlc.amountMsat),
          .blob(htlc.paymentHash.bytes), .integer(Int64(htlc.cltvExpiry)), .text("\(htlc.state)"),
        ])
      guard let data = htlc.paymentData else { continue }
      try database.execute(
        "UPDATE htlcs SET payment_secret = ?, total_msat = ? WHERE id = ?",
        [.blob(data.secret.bytes), .bits(data.totalMsat), .bits(htlc.id)])
    }
  }
}
