@Suite("lspd and a silent wallet", .serialized)
struct SilenceTests {
  @Test
  func `A silent wallet is pinged, then disconnected; a wallet that answers pings stays connected`() throws {
    let provider = try ProviderProcess(["--ping-after", "600ms", "--chatter", "200"])
    let wallet = ScriptedWallet(loop: provider.loop)
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try provider.loop.run(for: .seconds(20)) { wallet.isClosed })
    #expect(wallet.received.last?.type == 18)
    #expect(!wallet.received.contains { $0.type == 17 })

    wallet.answersPings = true
    try wallet.connect(to: try #require(provider.address), fence(1))
    func pings() -> Int { wallet.received.filter { $0.type == 18 }.count }
    #expect(try provider.loop.run(for: .seconds(20)) { pings() >= 4 })
    #expect(!wallet.isClosed)
    #expect(try provider.goDown()?.how == .exited(code: 0))
    let reasons = try provider.ledger("SELECT closed_reason FROM connections WHERE id = 1")
    #expect(reasons == ["no message for too long, and no pong"])
  }
}
