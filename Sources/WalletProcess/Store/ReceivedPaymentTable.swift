import LightningIO
import Ground
import Platform
import Guardrails
import Wallet
import SharedContainer

/// The payments that the wallet has accepted, one row for each hash: a second is a bug.
public enum ReceivedPaymentTable {
  static func insert(_ receipt: Receipt, _ stamp: WriteStamp, _ writer: NodeWriter) throws {
    try writer.execute(
      "INSERT INTO received_payments (payment_hash, amount_msat, epoch, received_wall_ns) VALUES (?, ?, ?, ?)",
      [.blob(receipt.invoice.paymentHash.bytes), .unsigned(receipt.amountMsat)] + stamp.values)
  }

  /// The number of the newest payment, 0 without one.
  public static func newest(_ reader: NodeReader) throws -> Int64 {
    try reader.firstRow("SELECT coalesce(max(id), 0) FROM received_payments")?.integer(0) ?? 0
  }

  /// Only settled payments: while an HTLC is in the channel the peer may not have its preimage, and a caller that took
  /// it as over would leave it there.
  public static func readSettled(after number: Int64, _ reader: NodeReader) throws -> [ReceivedPayment] {
    try reader.rows("\(settled) AND r.id > ? ORDER BY r.id", [.integer(number)]).map(payment)
  }

  public static func readSettled(paymentHash: Bytes32, _ reader: NodeReader) throws -> [ReceivedPayment] {
    try reader.rows("\(settled) AND r.payment_hash = ?", [.blob(paymentHash.bytes)]).map(payment)
  }

  private static let settled = """
    SELECT r.payment_hash, r.amount_msat, i.text FROM received_payments r JOIN invoices i USING (payment_hash)
    WHERE NOT EXISTS (SELECT 1 FROM htlcs h WHERE h.direction = 'received' AND h.payment_hash = r.payment_hash)
    """

  private static func payment(_ row: Row) throws -> ReceivedPayment {
    ReceivedPayment(paymentHash: try row.bytes32(0), amountMsat: try row.unsigned(1), text: try row.text(2))
  }
}
