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
      #expect(fields.network == .regtest)
      #expect(fields.features.bits == [8, 14, 17])
      #expect(fields.finalExpiryDelta == 18)
      #expect(fields.expirySeconds == 3600)
      #expect((before...after).contains(Int64(fields.timestamp)))
      #expect(fields.payee == nil)
      let hop = try #require(fields.routeHints.first?.first)
      #expect(fields.routeHints.map(\.count) == [1])
      #expect(hop.node.hex == peer)
      #expect(hop.baseFeeMsat == 0)
      #expect(hop.feeMillionths == 0)
    }
    #expect(invoices[0].payee == invoices[1].payee)
    #expect(invoices[0].fields.routeHints == invoices[1].fields.routeHints)
    #expect(invoices[0].fields.paymentSecret != invoices[1].fields.paymentSecret)
    #expect(invoices[0].paymentHash != invoices[1].paymentHash)
    #expect(invoices.map(\.fields.purpose) == [.text("test r1"), .text("test r2")])
    // The LSP compares the payee with its wallet's node id.
    phone.open(app)
    try phone.receive(invoices[1])
  }
}
