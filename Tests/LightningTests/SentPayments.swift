@testable import Lightning
@testable import Wallet
@testable import LightningProvider

/// The wallet's payments of external invoices in a `NodeWorld`, and what both sides stored of them.
struct SentPayments {
  /// Offered payments that the wallet stored, in order.
  var offered: [OutgoingPayment] = []
  var ended: [PaymentChange.Ended] = []
  /// Payment hashes that the LSP recorded as paid.
  var arrived: [Bytes32] = []

  mutating func note(_ change: PaymentChange) {
    offered += change.offered
    ended += change.ended
  }

  mutating func note(_ change: LedgerChange) {
    if case .externalPaid(let hash, _) = change { arrived.append(hash) }
  }

  func ends(_ hash: Bytes32) -> [PaymentEnd] {
    ended.filter { $0.payment.paymentHash == hash }.map(\.end)
  }

  static func invoice(_ number: Int) -> ExternalInvoice {
    let preimage = SHA256.hash(Array("elsewhere \(number)".utf8))
    return ExternalInvoice(
      paymentHash: SHA256.hash(preimage.bytes), amountMsat: UInt64(2000 + number),
      paymentSecret: SHA256.hash(preimage.bytes + [1]), preimage: preimage)
  }
}

extension NodeWorld {
  static let walletMsat = ChannelTerms.standard.walletMsat

  /// Makes external invoice `number` known to the LSP.
  mutating func externalInvoice(_ number: Int) {
    tellPeer(.externalInvoiceMade(SentPayments.invoice(number)))
  }

  /// The user pays external invoice `number`.
  mutating func send(_ number: Int, amountMsat: UInt64? = nil) {
    let invoice = SentPayments.invoice(number)
    handle(
      .payRequested(
        OutgoingPayment(
          paymentHash: invoice.paymentHash, amountMsat: amountMsat ?? invoice.amountMsat,
          paymentSecret: invoice.paymentSecret), past: past[invoice.paymentHash]))
  }

  mutating func sendAndSettle(_ number: Int, amountMsat: UInt64? = nil) {
    send(number, amountMsat: amountMsat)
    settle()
  }

  /// How far the wallet's balance is below its start.
  var spentMsat: UInt64 { Self.walletMsat - (stored.channel?.localMsat ?? Self.walletMsat) }
}

extension NodeRefusal {
  static let notHeldWords = "not held"

  var words: String {
    switch self {
    case .notHeld: Self.notHeldWords
    case .because(let sentence), .unknown(let sentence): sentence
    }
  }
}
