/// Each transaction waits for the disk.
@Suite("lspd's durable writes", .waits) struct DurableWriteTests {
  /// The frames of SQLite's log that end a transaction have the database's size.
  private func transactions(_ provider: ProviderProcess) throws -> Int {
    let log = [UInt8](try Data(contentsOf: URL(filePath: "\(provider.home)/lsp/ledger.sqlite-wal")))
    let salt = log[16..<24]
    return stride(from: 32, to: log.count, by: 24 + 4096).count { (start: Int) -> Bool in
      let size: ArraySlice<UInt8> = log[start + 4..<start + 8]
      return log[start + 8..<start + 16] == salt && size.contains { $0 != 0 }
    }
  }

  @Test func `Messages that arrive together are written together, and each is answered`() throws {
    let provider = try ProviderProcess()
    let wallet = ScriptedWallet(loop: provider.loop)
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try provider.eventually { wallet.channel != nil })
    func pongs() -> Int { wallet.received.count { $0.type == 19 } }
    // The peer's answer to the first has been written after all that came before.
    wallet.send(.ping(Ping(pongSize: 1)))
    #expect(try provider.eventually { pongs() == 1 })
    let before = try transactions(provider)
    provider.signal(SIGSTOP)
    let pid = try #require(provider.child).identity.pid
    #expect(
      try provider.eventually {
        try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).contains(") T ")
      })
    for _ in 1...3 { wallet.send(.ping(Ping(pongSize: 1))) }
    provider.signal(SIGCONT)
    #expect(try provider.eventually { pongs() == 4 })
    expect(try transactions(provider), is: before + 1)
    expect(
      try provider.ledger(
        "SELECT count(*) FROM frames WHERE direction = 'out' AND hex(substr(bytes, 1, 2)) = '0013'"),
      is: [.integer(4)])
  }
}
