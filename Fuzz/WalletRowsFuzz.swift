import Ground
import Crypto
import Heartbeat

@testable import Baton
@testable import Platform
@testable import Lightning
@testable import SharedContainer
@testable import WalletProcess

/// The tables of a hostile container. SQLite stores any value in a column without a type, so these tables have no
/// types.
enum WalletRowsFuzz: FuzzTarget {
  static let name = "wallet-rows"
  static let longestInput = 1024

  private static let channelColumns = [
    "id", "is_opener", "local_msat", "remote_msat", "local_commitment_number", "remote_commitment_number",
    "revocations_sent", "revocations_received", "last_received_secret", "next_offered_id", "next_received_id",
    "sent_revocation_last", "revision", "funding_txid", "funding_index",
  ]
  private static let spliceColumns = [
    "id", "txid", "state", "is_ours", "spent_txid", "spent_index", "funding_index", "amount_sat", "fee_sat",
    "unsigned_transaction", "begun_epoch", "begun_wall_ns", "ended_epoch", "ended_wall_ns",
  ]
  private static let htlcColumns = [
    "channel", "direction", "id", "amount_msat", "payment_hash", "cltv_expiry", "state", "removal",
    "preimage",
    "failure_code", "payment_secret", "total_msat",
  ]
  private static let invoiceColumns = ["payment_hash", "amount_msat", "text", "tweak", "expires_at"]
  private static let waitingColumns = ["payment_hash", "boot_high", "boot_low", "first_boot_ns"]
  private static let sentColumns = [
    "id", "payment_hash", "amount_msat", "payment_secret", "htlc", "state", "preimage", "failure_code",
    "begun_epoch", "begun_wall_ns", "ended_epoch", "ended_wall_ns",
  ]
  private static let claimColumns = [
    "epoch", "role", "pid", "start_time", "boot_high", "boot_low", "incarnation", "container",
    "claimed_boot_ns",
    "claimed_wall_ns", "seen_epoch", "reason",
  ]

  static var seeds: [[UInt8]] {
    let id = SQLValue.blob(SampleMessages.channelID.bytes)
    let claim: [SQLValue] = [
      3, "app", 4711, 99, 1, 2, .integer(.min), .blob(Array(repeating: 7, count: 16)), 5, 6, 2, "foreground",
    ]
    let invoice: [SQLValue] = [.blob(SampleMessages.preimage.bytes), 5000, "Coffee", id, 1_795_208_192]
    let sent = ["pending", "paid", "failed", "lost"].map { state -> [SQLValue] in
      [
        1, id, 5000, id, 0, .text(state), state == "paid" ? id : nil, state == "failed" ? 16399 : nil, 3, 6,
        state == "pending" ? nil : 4, state == "pending" ? nil : 7,
      ]
    }
    // Only the last channels have splices; the earlier ones cover the rest.
    let channels = SampleMessages.channels
    return (channels.prefix(12) + channels.suffix(12)).enumerated().map { place, channel in
      let record = channel.record
      let row: [SQLValue] = [
        id, .integer(record.isOpener ? 1 : 0), .bits(record.localMsat), .bits(record.remoteMsat),
        .bits(record.localCommitmentNumber), .bits(record.remoteCommitmentNumber),
        .bits(record.revocationsSent),
        .bits(record.revocationsReceived), .blob(record.lastReceivedSecret.bytes),
        .bits(record.nextOfferedID),
        .bits(record.nextReceivedID), .integer(record.sentRevocationLast ? 1 : 0), .bits(record.revision),
        record.splicedTo.map { .blob($0.transaction.hash.bytes) } ?? .null,
        record.splicedTo.map { .integer(Int64($0.index)) } ?? .null,
      ]
      let htlcs = record.htlcs.map { htlc -> [SQLValue] in
        [
          id, .text("\(htlc.direction)"), .bits(htlc.id), .bits(htlc.amountMsat),
          .blob(htlc.paymentHash.bytes),
          .integer(Int64(htlc.cltvExpiry)), .text("\(htlc.state)"), nil, nil, nil,
          htlc.paymentData.map { .blob($0.secret.bytes) } ?? .null,
          htlc.paymentData.map { .bits($0.totalMsat) } ?? .null,
        ]
      }
      let waiting: [SQLValue] = [.blob(SampleMessages.preimage.bytes), 1, 2, .integer(.min)]
      let splice: [SQLValue] = record.splice.map { Self.row(of: $0, record.funding) } ?? []
      let behind: [SQLValue] = htlcs.flatMap { $0 } + waiting + sent[place % sent.count] + splice
      return (claim + row + invoice).flatMap(ByteSource.write) + [UInt8(htlcs.count)]
        + behind.flatMap(ByteSource.write)
    }
  }

  private static func row(of splice: PendingSplice, _ spent: OutPoint) -> [SQLValue] {
    [
      1, .blob(splice.id.hash.bytes), .text("\(splice.stage)"), .integer(splice.isOurs ? 1 : 0),
      .blob(spent.transaction.hash.bytes), .integer(Int64(spent.index)), .integer(Int64(splice.fundingIndex)),
      .bits(splice.amountSat), .bits(splice.feeSat), .blob(splice.transaction.array), 3, 4, nil, nil,
    ]
  }

  nonisolated(unsafe) private static let connection: Connection? = {
    let connection = try? Connection(path: ":memory:", access: .create)
    try? connection?.script(
      """
      PRAGMA foreign_keys = OFF;
      CREATE TABLE channels (\(channelColumns.joined(separator: ", ")));
      CREATE TABLE htlcs (\(htlcColumns.joined(separator: ", ")));
      CREATE TABLE invoices (\(invoiceColumns.joined(separator: ", ")));
      CREATE TABLE waiting_parts (\(waitingColumns.joined(separator: ", ")));
      CREATE TABLE outgoing_payments (\(sentColumns.joined(separator: ", ")));
      CREATE TABLE splices (\(spliceColumns.joined(separator: ", ")));
      CREATE TABLE received_payments (id, payment_hash, amount_msat, epoch, received_wall_ns);
      """)
    return connection
  }()

  static func feed(_ bytes: [UInt8]) {
    var source = ByteSource(bytes)
    readClaim(Row(columns: claimColumns, values: source.values(claimColumns.count), database: "x"))
    guard let connection else { fatalError("there is no database in memory") }
    do {
      try connection.execute("BEGIN")
      defer { try? connection.execute("ROLLBACK") }
      try insert("channels", source.values(channelColumns.count), connection)
      try insert("invoices", source.values(invoiceColumns.count), connection)
      for _ in 0..<(source.byte() % 4) { try insert("htlcs", source.values(htlcColumns.count), connection) }
      try insert("waiting_parts", source.values(waitingColumns.count), connection)
      if !source.isAtEnd {
        try insert("outgoing_payments", source.values(sentColumns.count), connection)
      }
      if !source.isAtEnd { try insert("splices", source.values(spliceColumns.count), connection) }
      try read(connection)
    } catch { promiseOneLine("\(error)") }
  }

  private static func insert(_ table: String, _ values: [SQLValue], _ connection: Connection) throws {
    let places = values.map { _ in "?" }.joined(separator: ", ")
    try connection.execute("INSERT INTO \(table) VALUES (\(places))", values)
  }

  private static func readClaim(_ row: Row) {
    do {
      let record = try ClaimTable.record(row)
      promise(record.row.epoch > 0, "an epoch is zero")
    } catch { promiseOneLine("\(error)") }
  }

  private static func read(_ connection: Connection) throws {
    let tables = try [
      ("channels", channelColumns), ("invoices", invoiceColumns), ("outgoing_payments", sentColumns),
    ].map { name, columns in
      TableContents(
        name: name, columns: columns, rowCount: RowCount(1),
        rows: try connection.rows("SELECT * FROM \(name)"))
    }
    for problem in WalletView(tables).problems { promiseOneLine(problem) }
    let state = try WalletStore.readState(
      NodeReader(connection), at: BootMoment(boot: BootID(high: 1, low: 2), clock: Instant(nanoseconds: 0)))
    guard let channel = state.channel else { return }
    promise((try? Channel(decoding: channel.encoded())) == channel, "a stored channel does not restore")
  }
}
