@Suite("A wallet that does not close when lspd disconnects", .serialized) struct SuspendedWalletTests {
  /// A suspended wallet: its event loop stops once `isHeard` holds.
  private func stopped(_ provider: ProviderProcess, _ epoch: UInt64, _ isHeard: (ScriptedWallet) -> Bool)
    throws -> ScriptedWallet
  {
    let loop = try EventLoop()
    let wallet = ScriptedWallet(loop: loop)
    try wallet.connect(to: try #require(provider.address), fence(epoch))
    #expect(try loop.run(for: .seconds(60)) { isHeard(wallet) })
    return wallet
  }

  @Test func `lspd ends although a suspended wallet does not close its connection`() throws {
    let provider = try ProviderProcess()
    let wallet = try stopped(provider, 1) { $0.channel?.isReestablished == true }
    _ = try provider.client().request(ControlMessage("down"))
    expect(try provider.reapWhenEnded()?.how, is: .exited(code: 0))
    withExtendedLifetime(wallet) {}
  }

  @Test func `lspd closes a refused connection although the suspended wallet does not close it`() throws {
    let provider = try ProviderProcess()
    let owner = try stopped(provider, 5) { $0.channel?.isReestablished == true }
    let stale = try stopped(provider, 4) { $0.fenceAnswer?.accepted == false }
    let isClosed = try provider.eventually {
      try provider.ledger("SELECT count(*) FROM connections WHERE closed_at_ns IS NOT NULL") == [1]
    }
    #expect(isClosed)
    withExtendedLifetime((owner, stale)) {}
  }
}
