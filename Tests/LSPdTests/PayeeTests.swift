@Suite("The payee of lspd's payments", .serialized) struct PayeeTests {
  private func node(_ name: String) throws -> PublicKey {
    try #require(PrivateKey(SHA256.hash(Array(name.utf8)))).publicKey
  }

  @Test func `lspd pays only invoices of its wallet, whose node id it still knows after a kill`() throws {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let wallet = try provider.connectedWallet(epoch: 1)

    let sender = try provider.pay(1, to: try node("a wallet"))
    #expect(try loop.run(for: .seconds(60)) { wallet.channel?.localMsat == 1_000_001_000 })
    expect(try sender.receive()["state"], is: "settled")
    for _ in 0..<2 {
      let refusal = try provider.pay(2, to: try node("another wallet")).receive()
      expect(refusal["state"], is: "failed")
      expect(refusal["code"]?.lowercased(), is: "0x400a")
      expect(refusal["reason"], is: "another-payee")
      provider.kill()
      try provider.start()
    }
    expect(try provider.ledger("SELECT count(*) FROM payments"), is: [1])
  }
}
