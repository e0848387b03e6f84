import LightningIO
import Ground
import Platform
import Guardrails
import Lightning
import Wallet
import SharedContainer

/// The wallet's outgoing payments, from the step that offers an HTLC to the step that ends it. Each invoice has at
/// most one row that has not failed: the database itself refuses a second.
public enum OutgoingPaymentTable {
  static func read(_ reader: some RowReader) throws -> OutgoingPayments {
    let pending = try reader.rows(
      """
      SELECT payment_hash, amount_msat, payment_secret, htlc FROM outgoing_payments
      WHERE state = 'pending' ORDER BY id
      """, []
    ).map { row in
      OutgoingPayment(
        paymentHash: try row.bytes32(0), amountMsat: try row.unsigned(1), paymentSecret: try row.bytes32(2),
        htlc: try row.unsigned(3))
    }
    return OutgoingPayments(pending: pending)
  }

  /// nil if the payment was never begun, has failed, or is pending.
  public static func past(_ paymentHash: Bytes32, _ reader: some RowReader) throws -> PastPayment? {
    // The condition of the unique index, so at most one row matches.
    let row = try reader.firstRow(
      "SELECT state FROM outgoing_payments WHERE payment_hash = ? AND state <> 'failed'",
      [.blob(paymentHash.bytes)])
    return try row.flatMap { PastPayment(rawValue: try $0.text(0)) }
  }

  static func apply(_ change: PaymentChange, _ stamp: WriteStamp, _ writer: NodeWriter) throws {
    for payment in change.offered { try insert(payment, stamp, writer) }
    for ended in change.ended {
      var values: [SQLValue]
      switch ended.end {
      case .paid(let preimage): values = ["paid", .blob(preimage.bytes), .null]
      case .failed(let code): values = ["failed", .null, .integer(Int64(code))]
      }
      values += try stamp.values
      values += [
        .blob(ended.payment.paymentHash.bytes), try ended.payment.htlc.map { try .unsigned($0) } ?? .null,
      ]
      try writer.execute(
        """
        UPDATE outgoing_payments SET state = ?, preimage = ?, failure_code = ?, ended_epoch = ?, ended_wall_ns = ?
        WHERE payment_hash = ? AND htlc IS ? AND state = 'pending'
        """, values)
    }
  }

  /// After a channel restored from a backup: updates a payment's row from the backup, or inserts one.
  static func follow(_ channel: Channel, _ stamp: WriteStamp, _ writer: NodeWriter) throws {
    let restored = try read(writer).restored(by: channel) { hash in try past(hash, writer) != nil }
    for hash in restored.lost {
      try writer.execute(
        """
        UPDATE outgoing_payments SET state = 'lost', ended_epoch = ?, ended_wall_ns = ?
        WHERE payment_hash = ? AND state = 'pending'
        """, try stamp.values + [.blob(hash.bytes)])
    }
    for known in restored.known where try !isKnown(known.payment, writer) {
      try adopt(known.payment, stamp, writer)
    }
    let ended = restored.known.compactMap { known in
      known.end.map { PaymentChange.Ended(payment: known.payment, end: $0) }
    }
    try apply(PaymentChange(ended: ended), stamp, writer)
  }

  private static func isKnown(_ payment: OutgoingPayment, _ writer: NodeWriter) throws -> Bool {
    try writer.rows(
      "SELECT 1 FROM outgoing_payments WHERE payment_hash = ? AND htlc = ?",
      [.blob(payment.paymentHash.bytes), try payment.htlc.map { try .unsigned($0) } ?? .null]
    ).isEmpty == false
  }

  /// A pending row of the same invoice is an earlier attempt that has failed: otherwise there would be no later one.
  private static func adopt(
    _ payment: OutgoingPayment, _ stamp: WriteStamp, _ writer: NodeWriter
  ) throws {
    let isWaiting = try writer.rows(
      "SELECT 1 FROM outgoing_payments WHERE payment_hash = ? AND state = 'pending'",
      [.blob(payment.paymentHash.bytes)])
    guard !isWaiting.isEmpty, let htlc = payment.htlc else { return try insert(payment, stamp, writer) }
    try writer.execute(
      """
      UPDATE outgoing_payments SET htlc = ?, amount_msat = ?, payment_secret = ?
      WHERE payment_hash = ? AND state = 'pending'
      """,
      [
        try .unsigned(htlc), try .unsigned(payment.amountMsat), .blob(payment.paymentSecret.bytes),
        .blob(payment.paymentHash.bytes),
      ])
  }

  private static func insert(
    _ payment: OutgoingPayment, _ stamp: WriteStamp, _ writer: NodeWriter
  ) throws {
    try writer.execute(
      """
      INSERT INTO outgoing_payments
        (payment_hash, amount_msat, payment_secret, htlc, state, begun_epoch, begun_wall_ns)
      VALUES (?, ?, ?, ?, 'pending', ?, ?)
      """,
      [
        .blob(payment.paymentHash.bytes), try .unsigned(payment.amountMsat),
        .blob(payment.paymentSecret.bytes), try payment.htlc.map { try .unsigned($0) } ?? .null,
      ] + stamp.values)
  }
}
