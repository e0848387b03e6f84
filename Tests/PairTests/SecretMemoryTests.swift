@Suite("Secrets in memory", .serialized, .waits) struct SecretMemoryTests {
  private func secret(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test(.disabled(if: getenv("BATON_SANITIZED") != nil, "a sanitizer lets no program lock memory"))
  func `The wallet's seed and the LSP's key are only in pages that are neither swapped nor dumped`() throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let (notifier, _) = try phone.pushToExtension()
    try phone.receive(invoice)
    let provider = try #require(phone.peer)
    let (seed, key) = ("Keychain/wallet-seed", "lsp/node-key")
    for (process, file) in [(app, seed), (notifier, seed), (provider, key)] {
      let places = try MemoryImage.places(of: secret("\(phone.home)/\(file)"), in: process.pid)
      expect(places.count, is: 1, "\(file) in \(process.child.identity): \(places)")
      #expect(!places.contains { !$0.isLocked }, "\(file) in \(process.child.identity): \(places)")
    }
  }

  @Test func `The app starts and connects although its user may not lock memory`() throws {
    var before = rlimit()
    getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &before)
    var none = rlimit(rlim_cur: 0, rlim_max: before.rlim_max)
    setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &none)
    defer { setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &before) }
    let phone = try TestPhone()
    _ = try phone.connectedApp()
  }
}
