import SharedContainer

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
          """,
        values: [.integer(rowsPerTableMax.map(Int64.init) ?? -1)]),
    ]
  }
}
