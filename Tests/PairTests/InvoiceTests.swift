import Crypto

@Suite("Invoices of a real wallet", .serialized, .waits) struct InvoiceTests {
  @Test
  func `An invoice has the wallet's signature, a new secret and a route hint through the LSP, and is paid`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let before = phone.clock.wallNanoseconds / 1_000_000_000
    let invoices = try phone.invoices(2, app)
    let after = phone.clock.wallNanoseconds / 1_000_000_000
    let peer = try #require(phone.address?.split(separator: "@").first)
    for invoice in invoices {
      let fields = invoice.fields
      expect(fields.network, is: .regtest)
      expect(fields.features.bits, is: [8, 14, 17])
      expect(fields.finalExpiryDelta, is: 18)
      expect(fields.expirySeconds, is: 3600)
      #expect((before...after).contains(Int64(fields.timestamp)))
      #expect(fields.payee == nil)
      let hop = try #require(fields.routeHints.first?.first)
      expect(fields.routeHints.map(\.count), is: [1])
      #expect(hop.node.hex == peer)
      expect(hop.baseFeeMsat, is: 0)
      expect(hop.feeMillionths, is: 0)
    }
    expect(invoices[0].payee, is: invoices[1].payee)
    expect(invoices[0].fields.routeHints, is: invoices[1].fields.routeHints)
    #expect(invoices[0].fields.paymentSecret != invoices[1].fields.paymentSecret)
    #expect(invoices[0].paymentHash != invoices[1].paymentHash)
    expect(invoices.map(\.fields.purpose), is: [.text("test r1"), .text("test r2")])
    // The LSP compares the payee with its wallet's node id.
    phone.open(app)
    try phone.receive(invoices[1])
  }
}
