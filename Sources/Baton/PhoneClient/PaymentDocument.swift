import Ground
import PhonePolicy

/// The outcome of a payment; the members from `failureClass` on are those of a sender that tries again.
package struct PaymentDocument: Report {
  /// held, offered, settled, failed, pending or not-sent; of `baton send` offered, settled, failed or lost.
  package var state: String
  package var paymentHash: String
  package var amountMsat: UInt64
  package var preimage: String?
  package var code: String?
  /// BOLT 4's name of `code`.
  package var codeName: String?
  /// lspd's reason, or the hint's if a hint has ended the payment.
  package var reason: String?
  /// The failure as a sentence.
  package var meaning: String?
  /// Of a held payment, how the wallet hears of it: push, webhook, webhook-later or nothing.
  package var wokenBy: String?
  package var failureClass: String?
  /// What ended the attempts: final, attempts, deadline or hint.
  package var endedBy: String?
  package var attempts: Int?
  /// What the sender's screen shows.
  package var headline: String?
  package var text: String?
  package var button: String?
  package var symbol: String?
  package var colour: String?
  package var seed: UInt64?
  package var parts: [Part]?
  /// None if nothing was sent.
  package var tookMs: Int64?

  package struct Part: Report {
    package var amountMsat: UInt64
    /// lspd's number of the part.
    package var payment: Int64?
    /// A payment's state, or not-sent or not-needed.
    package var state: String
    package var code: String?
  }

  package init(_ state: String, of paymentHash: String, amountMsat: UInt64, took: TimeSpan? = nil) {
    self.state = state
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    tookMs = took?.wholeMilliseconds
  }

  package init(_ state: String, of invoice: PayableInvoice, took: TimeSpan? = nil) {
    self.init(state, of: invoice.paymentHash.hex, amountMsat: invoice.amountMsat, took: took)
  }
}
