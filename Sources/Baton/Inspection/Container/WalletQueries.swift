import SharedContainer

/// What is asked of the wallet's tables beside their last rows: what matters now may be older than those.
enum WalletQueries {
  /// Payments of the wallet's own that are on their way.
  static let sending = "sending"
  /// Of the last invoices, those that are paid.
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
