import Lightning
import Crypto

@testable import Baton

@Suite("The invoice that a sender is given", .waits) struct PayableInvoiceTests {
  private static let key = PrivateKey(SHA256.hash([1]))!
  private static let second: Int64 = 1_000_000_000

  private func word(_ change: (inout InvoiceFields) -> Void = { _ in }) throws -> String {
    var fields = InvoiceFields(
      network: .regtest, amountMsat: 5, timestamp: 40, paymentHash: SHA256.hash([2]), paymentSecret: .zero,
      purpose: .text("x"), expirySeconds: 60)
    change(&fields)
    return try SignedInvoice(fields, signedBy: Self.key).encoded
  }

  private func refusal(_ word: String, amount: UInt64? = nil, at now: Int64 = 99) -> String? {
    do throws(CommandFailure) {
      _ = try PayableInvoice(typed: word, amountMsat: amount, at: now)
      return nil
    } catch {
      expect(error.code, is: .wrongUsage)
      return error.sentence
    }
  }

  @Test func `An invoice yields payee, amount and payment hash, in every form that can be typed`() throws {
    let good = try word()
    let invoice = try PayableInvoice(typed: good, at: 99 * Self.second)
    expect(invoice.amountMsat, is: 5)
    expect(invoice.paymentHash, is: SHA256.hash([2]))
    expect(invoice.payee, is: Self.key.publicKey)
    for typed in [
      " \(good)\n", good.uppercased(), "lightning:\(good)", "LIGHTNING:\(good.uppercased())",
      "\tLightning:\(good) ",
    ] {
      let other = try PayableInvoice(typed: typed, at: 99 * Self.second)
      #expect(other.amountMsat == 5 && other.paymentHash == invoice.paymentHash)
      expect(other.payee, is: invoice.payee)
      #expect(other.paymentSecret == invoice.paymentSecret && other.mayComeInParts == invoice.mayComeInParts)
      expect(other.expiresAtWallSeconds, is: invoice.expiresAtWallSeconds)
    }
  }

  @Test(.shows("B-1.7.1.n1")) func `An invoice that is expired, damaged or of another network is refused`()
    throws
  {
    let good = try word()
    expect(
      refusal(good, at: 100 * Self.second)?.hasPrefix("the invoice expired less than a second ago"), is: true)
    expect(refusal(good, at: .max)?.contains("2500000 h ago"), is: true)
    #expect(refusal(good, at: 99 * Self.second) == nil)
    expect(refusal(String(good.dropLast()))?.contains("checksum"), is: true)
    expect(refusal("")?.contains("not a Lightning invoice"), is: true)
    expect(refusal("lightning://\(good)")?.contains("not a Lightning invoice"), is: true)
    for network in BitcoinNetwork.allCases where network != .regtest {
      let sentence = refusal(try word { $0.network = network })
      expect(sentence?.contains("for \(network.rawValue), but this phone's wallet is on regtest"), is: true)
    }
  }

  @Test func `--amount is required for an invoice without an amount, and refused for one with an amount`()
    throws
  {
    let open = try word { $0.amountMsat = nil }
    expect(refusal(open)?.contains("--amount"), is: true)
    expect(try PayableInvoice(typed: open, amountMsat: 7, at: 0).amountMsat, is: 7)
    expect(refusal(try word(), amount: 5)?.contains("omit --amount"), is: true)
  }

  @Test
  func `The request to lspd has payee, amount, whether to wait, and an id that no other request has`() throws
  {
    let invoice = try PayableInvoice(typed: try word(), at: 0)
    let message = invoice.payRequest(waits: false)
    let id = try #require(message["attempt-id"].flatMap { Bytes32(hex: $0) })
    #expect(id != .zero && invoice.payRequest(waits: false)["attempt-id"] != id.hex)
    expect(message["payee"], is: Self.key.publicKey.hex)
    expect(message["amount-msat"], is: "5")
    expect(message["wait"], is: "no")
  }
}
