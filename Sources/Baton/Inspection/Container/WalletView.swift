import Ground
import PhonePolicy
import Platform
import SharedContainer

/// The wallet's tables in a snapshot. Invalid rows become `problems`.
package struct WalletView: Sendable {
  package struct ChannelFacts: Report, Hashable {
    package var id: String
    package var localMsat: UInt64
    package var remoteMsat: UInt64
    var revision: Int64
    package var htlcs: Int64
  }

  package struct InvoiceFacts: Report, Hashable {
    package var paymentHash: String
    package var amountMsat: UInt64
    package var text: String
    /// In seconds since 1970, from the invoice.
    package var expiresAt: Int64
    var isPaid: Bool
    var isCancelled: Bool

    package var isOpen: Bool { !isPaid && !isCancelled }
  }

  package struct PaymentFacts: Report, Hashable {
    package var id: Int64
    package var paymentHash: String
    package var amountMsat: UInt64
    package var epoch: Int64
    package var receivedWallNs: Int64
  }

  /// An outgoing payment.
  package struct SentFacts: Report, Hashable {
    package var id: Int64
    package var paymentHash: String
    package var amountMsat: UInt64
    /// `pending`, `paid`, `failed` or `lost`.
    package var state: String
    package var preimage: String?
    package var failureCode: Int64?
    package var begunEpoch: Int64
    var endedEpoch: Int64?
    package var begunWallNs: Int64
  }

  /// A splice-out.
  package struct SpliceFacts: Report, Hashable {
    /// The txid in display order: bytes reversed.
    package var txid: String
    /// `signing`, `committed` or `signed` while pending; `done`, `forgotten` or `lost` at the end.
    package var state: String
    package var amountMsat: UInt64
    package var feeMsat: UInt64
    package var begunEpoch: Int64
    package var begunWallNs: Int64

    package var isOver: Bool { ["done", "forgotten", "lost"].contains(state) }
  }

  package private(set) var splices: [SpliceFacts] = []
  package private(set) var channels: [ChannelFacts] = []
  package private(set) var invoices: [InvoiceFacts] = []
  package private(set) var payments: [PaymentFacts] = []
  package private(set) var sent: [SentFacts] = []
  /// All pending outgoing payments, however old.
  package private(set) var sending: [SentFacts] = []
  private let counts: [String: RowCount]
  /// Payment hashes of irrevocably committed incoming HTLCs that are neither fulfilled nor failed.
  package private(set) var keptHashes: [String] = []
  package private(set) var problems: [String] = []

  var receivedMsat: UInt64 { Self.sum(payments.map(\.amountMsat)) }

  /// The table's number of rows, as far as they were counted.
  package func count(of table: String) -> RowCount { counts[table] ?? RowCount(0) }

  package var sendingMsat: UInt64 { Self.sum(sending.map(\.amountMsat)) }

  private static func sum(_ amounts: [UInt64]) -> UInt64 {
    amounts.reduce(0) { sum, amount in
      let (next, overflowed) = sum.addingReportingOverflow(amount)
      return overflowed ? .max : next
    }
  }

  package init(_ tables: [TableContents]) {
    counts = Dictionary(tables.map { ($0.name, $0.rowCount) }) { first, _ in first }
    payments = read("received_payments", of: tables) { row in
      PaymentFacts(
        id: try row.integer("id"), paymentHash: try row.hex("payment_hash"),
        amountMsat: try row.unsigned("amount_msat"), epoch: try row.integer("epoch"),
        receivedWallNs: try row.integer("received_wall_ns"))
    }
    sent = read("outgoing_payments", of: tables, Self.sent)
    sending =
      tables.contains { $0.name == WalletQueries.sending }
      ? read(WalletQueries.sending, of: tables, Self.sent) : sent.filter { $0.state == "pending" }
    splices = read("splices", of: tables) { row in
      SpliceFacts(
        txid: Self.reversed(try row.hex("txid")), state: try row.text("state"),
        amountMsat: try row.unsigned("amount_sat") &* 1000, feeMsat: try row.unsigned("fee_sat") &* 1000,
        begunEpoch: try row.integer("begun_epoch"), begunWallNs: try row.integer("begun_wall_ns"))
    }
    let paidBefore = read(WalletQueries.paidInvoices, of: tables) { try $0.hex("payment_hash") }
    let paid = Set(payments.map(\.paymentHash) + paidBefore)
    let cancelled = Set(read("cancelled_invoices", of: tables) { try $0.hex("payment_hash") })
    invoices = read("invoices", of: tables) { row in
      let hash = try row.hex("payment_hash")
      return InvoiceFacts(
        paymentHash: hash, amountMsat: try row.unsigned("amount_msat"), text: try row.text("text"),
        expiresAt: try row.integer("expires_at"), isPaid: paid.contains(hash),
        isCancelled: cancelled.contains(hash))
    }
    keptHashes = read("htlcs", of: tables) { row in
      try row.text("state") == "receivedAddAckRevocation" ? try row.hex("payment_hash") : ""
    }.filter { !$0.isEmpty }
    let htlcs = count(of: "htlcs").number
    channels = read("channels", of: tables) { row in
      ChannelFacts(
        id: try row.hex("id"), localMsat: try row.unsigned("local_msat"),
        remoteMsat: try row.unsigned("remote_msat"), revision: try row.integer("revision"), htlcs: htlcs)
    }
  }

  private static func sent(_ row: NamedRow) throws -> SentFacts {
    SentFacts(
      id: try row.integer("id"), paymentHash: try row.hex("payment_hash"),
      amountMsat: try row.unsigned("amount_msat"), state: try row.text("state"),
      preimage: try row.hexIfPresent("preimage"), failureCode: try row.integerIfPresent("failure_code"),
      begunEpoch: try row.integer("begun_epoch"), endedEpoch: try row.integerIfPresent("ended_epoch"),
      begunWallNs: try row.integer("begun_wall_ns"))
  }

  private static func reversed(_ hex: String) -> String {
    Hexadecimal.encode((Hexadecimal.decode(hex) ?? []).reversed())
  }

  private mutating func read<Facts>(
    _ name: String, of tables: [TableContents], _ make: (NamedRow) throws -> Facts
  ) -> [Facts] {
    guard let table = tables.first(where: { $0.name == name }) else { return [] }
    var facts: [Facts] = []
    for (number, row) in table.rows.enumerated() {
      do {
        facts.append(try make(NamedRow(columns: table.columns, row: row)))
      } catch {
        problems.append("row \(number + 1) of table \(name) is invalid: \(error)")
      }
    }
    return facts
  }
}

/// Queries beside the last rows of each table, for rows that matter now but may be older.
enum WalletQueries {
  /// Pending outgoing payments.
  static let sending = "sending"
  /// The paid ones of the last invoices.
  static let paidInvoices = "paid invoices"

  static func all(rowsPerTableMax: Int?) -> [SnapshotQuery] {
    [
      SnapshotQuery(
        name: sending, tables: ["outgoing_payments"],
        sql: "SELECT * FROM outgoing_payments WHERE state = 'pending' ORDER BY id"),
      SnapshotQuery(
        name: paidInvoices, tables: ["invoices", "received_payments"],
        sql: """
          SELECT payment_hash FROM (SELECT payment_hash FROM invoices ORDER BY rowid DESC LIMIT ?) AS made
          WHERE EXISTS (SELECT 1 FROM received_payments AS paid WHERE paid.payment_hash = made.payment_hash)
          """, values: [.integer(rowsPerTableMax.map(Int64.init) ?? -1)]),
    ]
  }
}

/// A row with access by column name.
package struct NamedRow {
  let columns: [String]
  package let row: Row

  package struct Missing: Error, CustomStringConvertible {
    package let column: String
    package var description: String { "column \(column) is missing or of another type" }
  }

  private func value(_ column: String) throws -> SQLValue {
    guard let place = columns.firstIndex(of: column) else { throw Missing(column: column) }
    return try row.value(place)
  }

  package func integer(_ column: String) throws -> Int64 {
    guard case .integer(let value) = try value(column) else { throw Missing(column: column) }
    return value
  }

  func unsigned(_ column: String) throws -> UInt64 {
    guard let value = UInt64(exactly: try integer(column)) else { throw Missing(column: column) }
    return value
  }

  package func text(_ column: String) throws -> String {
    guard case .text(let value) = try value(column) else { throw Missing(column: column) }
    return value
  }

  func integerIfPresent(_ column: String) throws -> Int64? {
    try value(column) == .null ? nil : integer(column)
  }

  func hexIfPresent(_ column: String) throws -> String? { try value(column) == .null ? nil : hex(column) }

  package func hex(_ column: String) throws -> String {
    guard case .blob(let bytes) = try value(column) else { throw Missing(column: column) }
    return Hexadecimal.encode(bytes)
  }
}
