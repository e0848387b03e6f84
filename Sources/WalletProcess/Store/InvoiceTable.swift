import LightningIO
import Ground
import Platform
import Wallet
import SharedContainer

/// All invoices ever made; an invoice is open until a payment is received for it, or the user cancels it.
enum InvoiceTable {
  static func readOpen(_ reader: NodeReader) throws -> [Invoice] {
    try reader.rows(
      """
      SELECT payment_hash, amount_msat, text, tweak, expires_at FROM invoices
      WHERE payment_hash NOT IN (SELECT payment_hash FROM received_payments)
      AND payment_hash NOT IN (SELECT payment_hash FROM cancelled_invoices) ORDER BY rowid
      """
    ).map(invoice)
  }

  /// The invoices whose payment is received and whose HTLC is still in the channel.
  static func readAccepted(_ reader: NodeReader) throws -> [Invoice] {
    try reader.rows(
      """
      SELECT i.payment_hash, i.amount_msat, i.text, i.tweak, i.expires_at
      FROM invoices i JOIN received_payments r ON r.payment_hash = i.payment_hash
      WHERE i.payment_hash IN (SELECT payment_hash FROM htlcs WHERE direction = 'received' AND removal = 'fulfilled')
      ORDER BY r.id
      """
    ).map(invoice)
  }

  private static func invoice(_ row: Row) throws -> Invoice {
    Invoice(
      paymentHash: try row.bytes32(0), amountMsat: try row.unsigned(1), text: try row.text(2),
      tweak: try row.bytes32(3), expiresAt: try row.integer(4))
  }

  static func insert(_ invoice: Invoice, _ writer: NodeWriter) throws {
    try write("INSERT", invoice, writer)
  }

  /// An earlier write that failed may have stored it already.
  static func cancel(
    _ paymentHash: Bytes32, epoch: Epoch, wallClockNanoseconds: Int64, _ writer: NodeWriter
  ) throws {
    try writer.execute(
      "INSERT OR IGNORE INTO cancelled_invoices (payment_hash, epoch, cancelled_wall_ns) VALUES (?, ?, ?)",
      [.blob(paymentHash.bytes), .unsigned(epoch), .integer(wallClockNanoseconds)])
  }

  /// A backup may have invoices that this database has lost, and vice versa.
  static func restore(_ invoices: [Invoice], _ writer: NodeWriter) throws {
    for invoice in invoices { try write("INSERT OR IGNORE", invoice, writer) }
  }

  private static func write(_ verb: String, _ invoice: Invoice, _ writer: NodeWriter) throws {
    try writer.execute(
      "\(verb) INTO invoices (payment_hash, amount_msat, text, tweak, expires_at) VALUES (?, ?, ?, ?, ?)",
      [
        .blob(invoice.paymentHash.bytes), .unsigned(invoice.amountMsat), .text(invoice.text),
        .blob(invoice.tweak.bytes), .integer(invoice.expiresAt),
      ])
  }
}
