import Crypto
import Database
import Lightning
import SharedContainer

/// All invoices ever made; one is open until a payment is received for it.
public enum InvoiceTable {
  static func readOpen(_ reader: NodeReader) throws -> [Invoice] {
    try reader.rows(
      """
      SELECT payment_hash, amount_msat, text, tweak, expires_at FROM invoices
      WHERE payment_hash NOT IN (SELECT payment_hash FROM received_payments) ORDER BY rowid
      """
    ).map { row in
      Invoice(
        paymentHash: try row.bytes32(0), amountMsat: try row.unsigned(1), text: try row.text(2),
        tweak: try row.bytes32(3), expiresAt: try row.integer(4))
    }
  }

  /// What the preimage of an invoice is derived from, whether it is paid or not.
  public static func tweak(of paymentHash: Bytes32, _ reader: NodeReader) throws -> Bytes32? {
    try reader.firstRow("SELECT tweak FROM invoices WHERE payment_hash = ?", [.blob(paymentHash.bytes)])?
      .bytes32(0)
  }

  static func insert(_ invoice: Invoice, _ writer: NodeWriter) throws {
    try write("INSERT", invoice, writer)
  }

  /// A backup may know invoices that this database has lost, and the other way round.
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
