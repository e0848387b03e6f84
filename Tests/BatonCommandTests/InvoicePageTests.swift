import Crypto
import Lightning
import PhonePolicy

@testable import Baton

@Suite("baton invoice --read", .waits) struct InvoicePageTests {
  private static let key = PrivateKey(SHA256.hash([1]))!

  private func page(_ change: (inout InvoiceFields) -> Void = { _ in }) throws -> InvoicePage {
    var fields = InvoiceFields(
      network: .mainnet, amountMsat: 1500, timestamp: 1_496_314_658, paymentHash: SHA256.hash([2]),
      paymentSecret: SHA256.hash([3]), purpose: .text("a\u{1b}[2Jb"))
    change(&fields)
    return InvoicePage(invoice: try SignedInvoice(fields, signedBy: Self.key))
  }

  private func row(_ name: String, _ page: InvoicePage, at now: Int64 = 0) -> String? {
    page.rows(atWallSeconds: now).first { $0.0 == name }?.1
  }

  @Test func `The text has the invoice's fields, and BOLT 11's defaults of absent ones`() throws {
    let page = try page()
    expect(row("network", page), is: "mainnet")
    expect(row("amount", page), is: "1,500 msat")
    expect(row("made", page), is: "2017-06-01 10:57:38 UTC")
    expect(row("expires", page, at: 1_496_314_658), is: "2017-06-01 11:57:38 UTC, in 60 min")
    expect(row("expires", page, at: 1_496_318_259), is: "2017-06-01 11:57:38 UTC, 1.0 s ago")
    expect(row("payee", page), is: "\(Self.key.publicKey), from the signature")
    expect(row("last HTLC", page), is: "expires after at least 18 blocks")
    expect(row("features", page), is: "8 var_onion_optin (required), 14 payment_secret (required)")
    #expect(row("through", page) == nil)
  }

  @Test func `The text has the invoice's optional fields that are present`() throws {
    let hop = RouteHop(
      node: Self.key.publicKey, channel: ShortChannelID(1 << 40 | 2 << 16 | 3), expiryDelta: 144)
    let page = try page {
      $0.amountMsat = nil
      $0.purpose = .hash(SHA256.hash([9]))
      $0.payee = Self.key.publicKey
      $0.expirySeconds = .max
      $0.features = Features([8, 14, 99])
      $0.metadata = [1, 2]
      $0.routeHints = [[hop, hop]]
      $0.fallbacks = [BitcoinAddress(version: 17, program: [UInt8](repeating: 0, count: 20))!]
    }
    expect(row("amount", page), is: "chosen by the payer")
    expect(row("description hash", page), is: SHA256.hash([9]).hex)
    expect(row("payee", page)?.hasSuffix("named, and matching the signature"), is: true)
    expect(row("expires", page)?.hasPrefix("after the year 2262"), is: true)
    expect(row("features", page)?.hasSuffix("99 unknown (optional)"), is: true)
    expect(row("metadata", page), is: "0102")
    expect(row("or on chain", page), is: "1111111111111111111114oLvT2")
    let step = "\(Self.key.publicKey) by channel 1x2x3, fee 0 msat and 0 ppm, 144 blocks"
    expect(row("through", page), is: "\(step), then \(step)")
  }

  @Test func `The JSON object has a member for each of the invoice's fields`() throws {
    let hop = RouteHop(node: Self.key.publicKey, channel: ShortChannelID(7), expiryDelta: 144)
    let page = try page { $0.routeHints = [[hop]] }
    let value = try #require(JSONValue(parsing: Array(page.document.json.utf8)))
    expect(value["invoice"]?.text, is: page.invoice.encoded)
    expect(value["network"]?.text, is: "mainnet")
    expect(value["amount_msat"]?.uint, is: 1500)
    expect(value["text"]?.text, is: "a\u{1b}[2Jb")
    expect(value["timestamp"]?.uint, is: 1_496_314_658)
    expect(value["expiry_seconds"]?.uint, is: 3600)
    expect(value["expires_at"]?.uint, is: 1_496_318_258)
    expect(value["min_final_cltv_expiry_delta"]?.uint, is: 18)
    expect(value["payee"]?.text, is: Self.key.publicKey.hex)
    expect(value["payment_hash"]?.text, is: SHA256.hash([2]).hex)
    expect(value["payment_secret"]?.text, is: SHA256.hash([3]).hex)
    expect(value["features"]?.elements?.compactMap { $0["bit"]?.uint }, is: [8, 14])
    expect(value["features"]?.elements?.first?["name"]?.text, is: "var_onion_optin")
    expect(value["features"]?.elements?.first?["required"]?.flag, is: true)
    let read = value["route_hints"]?.elements?.first?.elements?.first
    expect(read?["node"]?.text, is: Self.key.publicKey.hex)
    expect(read?["short_channel_id"]?.text, is: "0x0x7")
    expect(read?["cltv_expiry_delta"]?.uint, is: 144)
    expect(value["fallbacks"]?.elements, is: [])
    #expect(value["metadata"] == nil)
  }
}
