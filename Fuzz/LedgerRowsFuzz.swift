import Ground
import Crypto
import Platform

@testable import LightningIO
@testable import LSPd
@testable import Lightning
@testable import LightningProvider

/// The tables of lspd's ledger, with any value in any column.
enum LedgerRowsFuzz: FuzzTarget {
  static let name = "ledger-rows"
  static let longestInput = 1024

  private static let paymentColumns = [
    "id", "payment_hash", "amount_msat", "state", "requested_at_ns", "hold_until_ns", "held_at_ns",
    "offered_at_ns", "settled_at_ns", "htlc", "preimage", "failure_code", "failure",
    "payment_secret", "total_msat",
  ]
  private static let channelColumns = "wallet, \(ChannelRow.columns)"
  private static let channelWidth = 16
  private static let spliceColumns = [
    "id", "txid", "state", "is_ours", "spent_txid", "spent_index", "funding_index", "amount_sat", "fee_sat",
    "unsigned_transaction", "begun_at_ns", "ended_at_ns",
  ]
  private static let htlcWidth = 11
  private static let externalColumns = [
    "id", "payment_hash", "amount_msat", "payment_secret", "preimage", "made_at_ns", "htlc", "paid_at_ns",
  ]

  static var seeds: [[UInt8]] {
    let hash = SQLValue.blob(SampleMessages.preimage.bytes)
    let payments: [[SQLValue]] = [
      [1, hash, 1000, "held", 5, 6, 5, nil, nil, nil, nil, nil, nil, nil, nil],
      [2, hash, 1000, "offered", 5, 6, 5, 7, nil, 0, nil, nil, nil, hash, 2000],
      [3, hash, 1000, "paid", 5, 6, 5, 7, 8, 0, hash, nil, nil, hash, 1000],
      [4, hash, 1000, "failed", 5, 6, 5, 7, 8, 0, nil, 16399, "refused-by-recipient", nil, nil],
    ]
    let channel: [SQLValue] = [
      1, .blob(SampleMessages.channelID.bytes), 1, 9000, 0, 0, 0, 0, 0, .blob(Array(repeating: 0, count: 32)),
      1, 0, 0,
      3, nil, nil,
    ]
    let spliced: [SQLValue] = Array(channel.dropLast(2)) + [hash, 1]
    let splice: [SQLValue] = [
      1, hash, "committed", 0, hash, 0, 0, 1000, 724, .blob([2, 0, 0, 0]), 5, nil,
    ]
    let ownSplice: [SQLValue] = [1, hash, "signed", 1, hash, 0, 5, 1000, 724, .blob([]), 5, nil]
    let htlc: [SQLValue] = ["offered", 0, 1000, hash, 40, "sentAdd", nil, nil, nil, hash, 2000]
    let right = SQLValue.blob(SHA256.hash(SampleMessages.preimage.bytes).bytes)
    let externalInvoices: [[SQLValue]] = [
      [1, right, 1000, hash, hash, 5, nil, nil], [1, right, 1000, hash, hash, 5, 0, 9],
      [1, hash, 1000, hash, hash, 5, 0, 9], [1, right, -1, hash, hash, 5, nil, nil],
    ]
    let plain = zip(payments, externalInvoices).map { payment, other in
      (payment + channel).flatMap(ByteSource.write) + [1] + (htlc + other).flatMap(ByteSource.write)
    }
    return plain
      + [splice, ownSplice].map { splice in
        (payments[0] + spliced).flatMap(ByteSource.write) + [0]
          + (externalInvoices[0] + splice).flatMap(ByteSource.write)
      }
  }

  nonisolated(unsafe) private static let connection: Connection? = {
    let connection = try? Connection(path: ":memory:", access: .create)
    try? connection?.script(
      """
      CREATE TABLE payments (\(paymentColumns.joined(separator: ", ")), wallet DEFAULT 1);
      CREATE TABLE channel (\(channelColumns));
      CREATE TABLE external_invoices (\(externalColumns.joined(separator: ", ")), wallet DEFAULT 1);
      CREATE TABLE splices (\(spliceColumns.joined(separator: ", ")), wallet DEFAULT 1);
      CREATE TABLE htlcs (\(HTLCRow.columns), wallet DEFAULT 1);
      CREATE TABLE push_keys (id, at_ns, key, wallet DEFAULT 1);
      CREATE TABLE ended_holds (id, payment_hash, ended_at_ns, forgotten_at_ns, wallet DEFAULT 1);
      """)
    return connection
  }()

  static func feed(_ bytes: [UInt8]) {
    guard let connection else { fatalError("there is no database in memory") }
    var source = ByteSource(bytes)
    do {
      try connection.execute("BEGIN")
      defer { try? connection.execute("ROLLBACK") }
      try insert("payments", source.values(paymentColumns.count), of: paymentColumns, connection)
      try insert("channel", source.values(channelWidth), of: [channelColumns], connection)
      for _ in 0..<(source.byte() % 4) {
        try insert("htlcs", source.values(htlcWidth), of: [HTLCRow.columns], connection)
      }
      if !source.isAtEnd {
        try insert("external_invoices", source.values(externalColumns.count), of: externalColumns, connection)
      }
      if !source.isAtEnd {
        try insert("splices", source.values(spliceColumns.count), of: spliceColumns, connection)
      }
      if !source.isAtEnd {
        try insert("push_keys", source.values(3), of: ["id", "at_ns", "key"], connection)
      }
      if !source.isAtEnd {
        try insert(
          "ended_holds", source.values(4), of: ["id", "payment_hash", "ended_at_ns", "forgotten_at_ns"],
          connection)
      }
      attempt { _ = try AnnouncementTables.readPushKey(connection) }
      attempt {
        let holds = try AnnouncementTables.readEndedHolds(connection)?.paymentHashes ?? []
        promise(holds.count <= EndedHolds.limit, "more ended holds are read than are told")
      }
      attempt { _ = try PaymentTable.readUnresolved(connection, at: Instant(nanoseconds: 5)) }
      attempt { _ = try PaymentTable.readPaid(connection) }
      attempt { _ = try PaymentTable.find(SampleMessages.preimage, number: nil, connection) }
      attempt { _ = try PaymentTable.list(connection) }
      attempt {
        for invoice in try ExternalInvoiceTable.read(connection) {
          promise(
            SHA256.hash(invoice.preimage.bytes) == invoice.paymentHash, "a preimage of another hash is read")
        }
      }
      attempt { _ = try ChannelTables.provider().read(connection).map { try Channel(restoring: $0) } }
    } catch { promiseOneLine("\(error)") }
  }

  private static func insert(
    _ table: String, _ values: [SQLValue], of columns: [String], _ connection: Connection
  ) throws {
    let places = values.map { _ in "?" }.joined(separator: ", ")
    let names = columns.joined(separator: ", ")
    try connection.execute("INSERT INTO \(table)(\(names)) VALUES (\(places))", values)
  }

  private static func attempt(_ body: () throws -> Void) {
    do { try body() } catch { promiseOneLine("\(error)") }
  }
}
