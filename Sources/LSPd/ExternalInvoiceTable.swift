import LightningIO
import Ground
import Crypto
import Platform
import LightningProvider

/// External invoices, one row each, the wallet that they were made for, and whether it has paid them.
enum ExternalInvoiceTable {
  static func write(
    _ change: LedgerChange, of wallet: WalletNumber, at now: Instant, to database: Connection
  ) throws {
    switch change {
    case .externalMade(let invoice):
      try database.execute(
        """
        INSERT INTO external_invoices(payment_hash, amount_msat, payment_secret, preimage, made_at_ns, wallet)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          .blob(invoice.paymentHash.bytes), try .unsigned(invoice.amountMsat),
          .blob(invoice.paymentSecret.bytes), .blob(invoice.preimage.bytes), .integer(now.nanoseconds),
          .integer(wallet.value),
        ])
    case .externalPaid(let hash, let htlc):
      try database.execute(
        "UPDATE external_invoices SET htlc = ?, paid_at_ns = ? WHERE payment_hash = ?",
        [try .unsigned(htlc), .integer(now.nanoseconds), .blob(hash.bytes)])
    default: break
    }
  }

  static func read(_ database: Connection, of wallet: WalletNumber = .own) throws -> [ExternalInvoice] {
    try database.rows(
      """
      SELECT payment_hash, amount_msat, payment_secret, preimage, paid_at_ns FROM external_invoices
      WHERE wallet = ? ORDER BY id
      """, [.integer(wallet.value)]
    ).map { row in
      let preimage = try row.bytes32(3)
      let hash = try row.bytes32(0)
      guard SHA256.hash(preimage.bytes) == hash else {
        throw LedgerError.unreadable("the preimage of an external invoice")
      }
      return ExternalInvoice(
        paymentHash: hash, amountMsat: try row.unsigned(1), paymentSecret: try row.bytes32(2),
        preimage: preimage, isPaid: try !row.isNull(4))
    }
  }
}
