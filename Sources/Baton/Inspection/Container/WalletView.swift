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
    payments = read("received_payments", of: tables)
    sent = read("outgoing_payments", of: tables)
    sending =
      tables.contains { $0.name == WalletQueries.sending }
      ? read(WalletQueries.sending, of: tables) : sent.filter { $0.state == "pending" }
    splices = read("splices", of: tables) { row in
      row["txid"] = row["txid"]?.text.map { .string(Self.reversed($0)) }
      row["amount_msat"] = row["amount_sat"]?.uint.map { .number("\($0 &* 1000)") }
      row["fee_msat"] = row["fee_sat"]?.uint.map { .number("\($0 &* 1000)") }
    }
    let paidBefore: [HashRow] = read(WalletQueries.paidInvoices, of: tables)
    let paid = Set(payments.map(\.paymentHash) + paidBefore.map(\.paymentHash))
    let cancelled = Set((read("cancelled_invoices", of: tables) as [HashRow]).map(\.paymentHash))
    invoices = read("invoices", of: tables) { row in
      let hash = row["payment_hash"]?.text ?? ""
      (row["paid"], row["cancelled"]) = (.bool(paid.contains(hash)), .bool(cancelled.contains(hash)))
    }
    let parts: [HashRow] = read("htlcs", of: tables)
    keptHashes = parts.filter { $0.state == "receivedAddAckRevocation" }.map(\.paymentHash)
    let htlcs = count(of: "htlcs").number
    channels = read("channels", of: tables) { $0["htlcs"] = .number("\(htlcs)") }
  }

  private struct HashRow: Report {
    var paymentHash: String
    var state: String?
  }

  private static func reversed(_ hex: String) -> String {
    Hexadecimal.encode((Hexadecimal.decode(hex) ?? []).reversed())
  }

  /// A document's members have the names of the columns; `complete` adds those that are no columns.
  private mutating func read<Facts: Report>(
    _ name: String, of tables: [TableContents], _ complete: (inout [String: JSONValue]) -> Void = { _ in }
  ) -> [Facts] {
    guard let table = tables.first(where: { $0.name == name }) else { return [] }
    var facts: [Facts] = []
    for (number, row) in table.rows.enumerated() {
      do { facts.append(try row.decoded(complete)) } catch {
        problems.append("row \(number + 1) of table \(name) is invalid: \(Self.words(error))")
      }
    }
    return facts
  }

  private static func words(_ error: any Error) -> String {
    let key: (any CodingKey)? =
      switch error {
      case DecodingError.keyNotFound(let key, _): key
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        context.codingPath.last
      default: nil
      }
    let column = key.map { JSONNames.snakeCase.name($0.stringValue) } ?? "?"
    return "column \(column) is missing or of another type"
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
