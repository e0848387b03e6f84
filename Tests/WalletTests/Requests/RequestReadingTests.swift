import Crypto
import Ground
import Lightning
import Testing

@testable import Wallet

/// Checks of the user's input before a payment or withdrawal begins.
@Suite("Reading a payment or withdrawal request")
struct RequestReadingTests {
  private let now: Int64 = 1_700_000_000
  private let wallet = PrivateKey(hash("1"))?.publicKey

  private func invoice(
    on network: BitcoinNetwork = .regtest, amountMsat: UInt64? = 1000, madeAt: Int64? = nil,
    by payee: String = "2", features: Features = .ofEveryInvoice
  ) throws -> String {
    let fields = InvoiceFields(
      network: network, amountMsat: amountMsat, timestamp: UInt64(madeAt ?? now), paymentHash: hash("a"),
      paymentSecret: hash("5ec"), purpose: .text("tea"), expirySeconds: 3600,
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard, routeHints: [], features: features)
    return try SignedInvoice(fields, signedBy: try #require(PrivateKey(hash(payee)))).encoded
  }

  /// Why the payment is refused; nil if it is accepted.
  private func objection(to text: String, amountMsat: UInt64? = nil) throws -> String? {
    let wallet = try #require(wallet)
    do {
      _ = try Request.payment(of: text, amountMsat: amountMsat, from: wallet, atWallSeconds: now)
      return nil
    } catch { return "\(error)" }
  }

  @Test func `A payment's amount comes from the invoice, or from the user if the invoice has none`()
    throws
  {
    let wallet = try #require(wallet)
    for (asked, chosen) in [(1000, nil), (nil, 1000)] as [(UInt64?, UInt64?)] {
      let text = try invoice(amountMsat: asked)
      #expect(
        try Request.payment(of: text, amountMsat: chosen, from: wallet, atWallSeconds: now)
          == .payment(OutgoingPayment(paymentHash: hash("a"), amountMsat: 1000, paymentSecret: hash("5ec"))))
    }
  }

  @Test func `A payment whose amount neither invoice nor user gives, or both give, is refused`() throws {
    #expect(
      try objection(to: invoice(amountMsat: nil)) == "the invoice has no amount; give one")
    #expect(
      try objection(to: invoice(), amountMsat: 1000)
        == "the invoice already asks for 1 sat; leave the amount out")
  }

  @Test func `An expired invoice is refused, and one in its last second accepted`() throws {
    #expect(
      try objection(to: invoice(madeAt: now - 3600)) == "the invoice has expired; ask for a new one")
    #expect(try objection(to: invoice(madeAt: now - 3599)) == nil)
  }

  @Test
  func `An invoice of another network, this wallet, or with unknown required features is refused`() throws {
    for (network, name) in [(BitcoinNetwork.mainnet, "mainnet"), (.testnet, "testnet"), (.signet, "signet")] {
      #expect(
        try objection(to: invoice(on: network))
          == "the invoice is for \(name), this wallet is on regtest; pay it with another wallet")
    }
    #expect(
      try objection(to: invoice(by: "1"))
        == "this wallet made the invoice; pay an invoice of another wallet")
    let demands = Features(Features.ofEveryInvoice.bits + [24])
    #expect(
      try objection(to: invoice(features: demands))
        == "the invoice requires option_route_blinding, which this wallet does not support; pay it with another wallet"
    )
    // Optional and supported features are accepted.
    let served = Features(Features.ofEveryInvoice.bits + [Features.basicMPP, 25])
    #expect(try objection(to: invoice(features: served)) == nil)
  }

  @Test func `A string that is no invoice is refused with the decoder's error`() throws {
    #expect(try objection(to: "lnbcrt1") == InvoiceError.tooShort.description)
  }

  @Test func `A withdrawal is accepted only to an address of this network`() throws {
    let address = try #require(BitcoinAddress(version: 1, program: [UInt8](repeating: 7, count: 32)))
    #expect(
      try Request.withdrawal(amountSat: 4000, to: address.text(on: .regtest))
        == .withdrawal(SpliceRequest(amountSat: 4000, script: OutputScript(address))))
    for text in [address.text(on: .mainnet), address.text(on: .regtest) + "q", ""] {
      #expect(throws: AddressError.self) { try Request.withdrawal(amountSat: 4000, to: text) }
    }
  }
}
