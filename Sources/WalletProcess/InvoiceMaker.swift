import Ground
import Crypto
import DaemonRuntime
import Lightning
import Wallet

/// Makes and signs the wallet's invoices, with the seed.
final class InvoiceMaker {
  static let amountMsatMax: UInt64 = 21_000_000 * 100_000_000 * 1000
  static let expirySecondsMax: Int64 = 366 * 24 * 3600
  static let expirySecondsStandard: Int64 = 3600

  private let secrets: WalletSecrets
  private let clock: Clock
  /// The node that routes payments to the wallet; nil if no peer is configured.
  private let peer: PublicKey?
  /// Invoices for users until their requests are answered: signed before the invoice is stored, so that no stored
  /// invoice is without a payable text.
  private var signed: [String: String] = [:]

  init(secrets: WalletSecrets, clock: Clock, peer: PublicKey?) {
    self.secrets = secrets
    self.clock = clock
    self.peer = peer
  }

  var wallet: PublicKey { secrets.nodeKey.publicKey }
  var wallSeconds: Int64 { clock.wallNanoseconds / 1_000_000_000 }

  func make(
    for request: String, amountMsat: UInt64, text: String, expirySeconds: Int64
  ) throws(InvoiceError) -> Invoice {
    let now = wallSeconds
    let invoice = secrets.makeInvoice(amountMsat: amountMsat, text: text, expiresAt: now + expirySeconds)
    signed[request] =
      try SignedInvoice(fields(of: invoice, madeAt: now), signedBy: secrets.nodeKey).encoded
    return invoice
  }

  /// Removes it when the request is answered, whatever the answer.
  func takeSigned(for request: String) -> String? { signed.removeValue(forKey: request) }

  private func fields(of invoice: Invoice, madeAt: Int64) -> InvoiceFields {
    InvoiceFields(
      network: .regtest, amountMsat: invoice.amountMsat == Invoice.anyAmount ? nil : invoice.amountMsat,
      // A clock before 1970 is refused like one that is too late.
      timestamp: UInt64(bitPattern: madeAt), paymentHash: invoice.paymentHash,
      paymentSecret: secrets.paymentSecret(tweak: invoice.tweak), purpose: .text(invoice.text),
      expirySeconds: UInt64(clamping: invoice.expiresAt - madeAt),
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard,
      routeHints: peer.map { [[RouteHop(to: wallet, from: $0)]] } ?? [],
      features: .ofOurInvoices)
  }
}

extension RouteHop {
  /// From the LSP to the wallet over the unconfirmed channel: its alias is the beginning of the hash of the wallet's
  /// node id, the same in both processes and every invoice.
  fileprivate init(to wallet: PublicKey, from provider: PublicKey) {
    let alias = SHA256.hash(wallet.bytes).bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    self.init(node: provider, channel: ShortChannelID(alias), expiryDelta: 144)
  }
}
