import Crypto
import Ground
import Lightning

/// Why an invoice cannot be paid, in a sentence for the user.
public struct PaymentObjection: Error, CustomStringConvertible { public let description: String }

extension Request {
  private static let network = BitcoinNetwork.regtest
  private static let served = [Features.varOnionOptin, Features.paymentSecret, Features.basicMPP]

  /// A request to pay this invoice, with the amount that the user chose if the invoice has none. The wall clock
  /// decides only whether to begin: a begun payment ends as the channel decides.
  public static func payment(
    of text: String, amountMsat chosen: UInt64?, from wallet: PublicKey, atWallSeconds now: Int64
  ) throws -> Request {
    let invoice = try SignedInvoice(decoding: text)
    if let sentence = objection(to: invoice, from: wallet, atWallSeconds: now) {
      throw PaymentObjection(description: sentence)
    }
    return .payment(
      OutgoingPayment(
        paymentHash: invoice.paymentHash, amountMsat: try amount(of: invoice, chosen),
        paymentSecret: invoice.fields.paymentSecret))
  }

  private static func amount(of invoice: SignedInvoice, _ chosen: UInt64?) throws(PaymentObjection) -> UInt64
  {
    switch (invoice.amountMsat, chosen) {
    case (nil, nil):
      throw PaymentObjection(description: "the invoice has no amount; give one")
    case (let asked?, _?):
      throw PaymentObjection(
        description:
          "the invoice already asks for \(AmountText.words(msat: asked)); leave the amount out")
    case (let asked?, nil): return asked
    case (nil, let chosen?): return chosen
    }
  }

  private static func objection(
    to invoice: SignedInvoice, from wallet: PublicKey, atWallSeconds now: Int64
  ) -> String? {
    let fields = invoice.fields
    if fields.network != network {
      return
        "the invoice is for \(fields.network.rawValue), this wallet is on \(network.rawValue); pay it with another wallet"
    }
    if fields.isExpired(atWallSeconds: now) { return "the invoice has expired; ask for a new one" }
    if invoice.payee == wallet { return "this wallet made the invoice; pay an invoice of another wallet" }
    guard let bit = fields.features.bits.first(where: { $0.isMultiple(of: 2) && !served.contains($0) })
    else { return nil }
    return
      "the invoice requires \(Features.nameInInvoices(of: bit) ?? "feature \(bit)"), which this wallet does not support; pay it with another wallet"
  }

  /// A request to withdraw to this address on chain.
  public static func withdrawal(amountSat: UInt64, to address: String) throws -> Request {
    .withdrawal(
      SpliceRequest(
        amountSat: amountSat, script: OutputScript(try BitcoinAddress(decoding: address, on: network))))
  }
}
