import Crypto
import Database
import Guardrails
import Lightning
import SharedContainer

/// Payments of the wallet's own, from the step that offers one to the step that ends it. What is not failed is there once
/// for each invoice: the database itself refuses a second.
public enum OutgoingPaymentTable {
  static func read(_ reader: NodeReader) throws -> OutgoingPayments {
    let pending = try reader.rows(
      """
      SELECT payment_hash, amount_msat, payment_secret, htlc FROM outgoing_payments
      WHERE state = 'pending' ORDER BY id
      """
    ).map { row in
      OutgoingPayment(
        paymentHash: try row.bytes32(0), amountMsat: try row.unsigned(1), paymentSecret: try row.bytes32(2),
        htlc: try row.unsigned(3))
    }
    let over = try reader.rows(
      "SELECT payment_hash FROM outgoing_payments WHERE state IN ('paid', 'lost') ORDER BY id")
    return OutgoingPayments(pending: pending, over: try over.map { try $0.bytes32(0) })
  }

  static func apply(
    _ change: PaymentChange, epoch: Epoch, wallClockNanoseconds: Int64, _ writer: NodeWriter
  ) throws {
    for payment in change.offered {
      try insert("INSERT", payment, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
    }
    for ended in change.ended {
      var values: [SQLValue]
      switch ended.end {
      case .paid(let preimage): values = ["paid", .blob(preimage.bytes), .null]
      case .failed(let code): values = ["failed", .null, .integer(Int64(code))]
      }
      values += [
        try .unsigned(epoch), .integer(wallClockNanoseconds), .blob(ended.payment.paymentHash.bytes),
      ]
      try writer.execute(
        """
        UPDATE outgoing_payments SET state = ?, preimage = ?, failure_code = ?, ended_epoch = ?, ended_wall_ns = ?
        WHERE payment_hash = ? AND state = 'pending'
        """, values)
    }
  }

  /// With a channel from a backup: what is in it is on its way, and of what is not nobody knows how it ended.
  static func follow(
    _ channel: Channel, epoch: Epoch, wallClockNanoseconds: Int64, _ writer: NodeWriter
  ) throws {
    let offers = channel.unresolvedOffers
    for payment in try pending(writer) where !offers.contains(where: { $0.paymentHash == payment }) {
      try writer.execute(
        """
        UPDATE outgoing_payments SET state = 'lost', ended_epoch = ?, ended_wall_ns = ?
        WHERE payment_hash = ? AND state = 'pending'
        """, [try .unsigned(epoch), .integer(wallClockNanoseconds), .blob(payment.bytes)])
    }
    for htlc in offers {
      let payment = OutgoingPayment(
        paymentHash: htlc.paymentHash, amountMsat: htlc.amountMsat,
        paymentSecret: htlc.paymentData?.secret ?? .zero, htlc: htlc.id)
      try insert(
        "INSERT OR IGNORE", payment, epoch: epoch, wallClockNanoseconds: wallClockNanoseconds, writer)
    }
  }

  private static func pending(_ writer: NodeWriter) throws -> [Bytes32] {
    try writer.rows("SELECT payment_hash FROM outgoing_payments WHERE state = 'pending'").map {
      try $0.bytes32(0)
    }
  }

  private static func insert(
    _ verb: String, _ payment: OutgoingPayment, epoch: Epoch, wallClockNanoseconds: Int64,
    _ writer: NodeWriter
  ) throws {
    try writer.execute(
      """
      \(verb) INTO outgoing_payments
        (payment_hash, amount_msat, payment_secret, htlc, state, begun_epoch, begun_wall_ns)
      VALUES (?, ?, ?, ?, 'pending', ?, ?)
      """,
      [
        .blob(payment.paymentHash.bytes), try .unsigned(payment.amountMsat),
        .blob(payment.paymentSecret.bytes),
        try payment.htlc.map { try .unsigned($0) } ?? .null, try .unsigned(epoch),
        .integer(wallClockNanoseconds),
      ])
  }
}
