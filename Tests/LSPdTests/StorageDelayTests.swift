@Suite("lspd stores backups late", .serialized)
struct StorageDelayTests {
  private func send(_ numbers: [UInt8], by wallet: ScriptedWallet, _ provider: ProviderProcess) throws {
    for number in numbers { wallet.send(.peerStorage([number])) }
    let count = { try provider.ledger("SELECT count(*) FROM frames WHERE substr(bytes, 1, 2) = x'0007'") }
    #expect(try provider.eventually { try count() == [.integer(Int64(numbers.count))] })
  }

  private func connect(_ wallet: ScriptedWallet, to provider: ProviderProcess, epoch: UInt64) throws
    -> [UInt8]?
  {
    try wallet.connect(to: try #require(provider.address), fence(epoch))
    #expect(try provider.loop.run(for: .seconds(20)) { wallet.channel?.isReestablished == true })
    for case .peerStorageRetrieval(let blob) in wallet.received { return blob.array }
    return nil
  }

  @Test func `A wallet gets an older backup within the delay, and after a kill of lspd for ever`() throws {
    let provider = try ProviderProcess(["--storage-delay", "10m"])
    let wallet = ScriptedWallet(loop: provider.loop)
    #expect(try connect(wallet, to: provider, epoch: 1) == nil)
    try send([1, 2, 3], by: wallet, provider)
    #expect(try connect(wallet, to: provider, epoch: 2) == [1])
    let status = try provider.client().request(ControlMessage("status")).bodyText
    #expect(status.contains("\"waiting_backup_bytes\":1"), "\(status)")
    #expect(status.contains("\"storage_delay_ms\":600000"), "\(status)")
    provider.kill()
    try provider.start()
    #expect(try connect(wallet, to: provider, epoch: 3) == [1])
    #expect(try provider.ledger("SELECT blob FROM backups") == [.blob([1])])
    #expect(try provider.ledger("SELECT storage_delay_ns FROM runs") == [600_000_000_000, 600_000_000_000])
  }

  @Test func `At the end of the delay lspd stores the newest backup, and returns it from then on`() throws {
    let provider = try ProviderProcess(["--storage-delay", "500ms"])
    let wallet = ScriptedWallet(loop: provider.loop)
    #expect(try connect(wallet, to: provider, epoch: 1) == nil)
    try send([1, 2, 3], by: wallet, provider)
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT blob FROM backups ORDER BY revision DESC LIMIT 1") == [.blob([3])]
      })
    #expect(try connect(wallet, to: provider, epoch: 2) == [3])
    #expect(
      try provider.ledger("SELECT blob FROM backups ORDER BY revision")
        == [.blob(SHA256.hash([1]).bytes), .blob([3])], "the hash of the replaced backup, and the newest")
  }
}
