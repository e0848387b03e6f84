import Ground
import DaemonRuntime
import Platform
import Glibc
import Testing

@Suite("Push requests of lspd for an absent wallet") struct PushRequestTests {
  @Test
  func `Pushes that lspd requests for the same payment while iosd is down are merged into one`() throws {
    let provider = try ProviderProcess()
    let wallet = ScriptedWallet(loop: provider.loop)
    wallet.isFulfilling = false
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try provider.eventually { wallet.channel?.isReestablished == true })
    _ = try provider.pay(1, waiting: false)
    #expect(try provider.eventually { wallet.channel?.committedHTLCs.isEmpty == false })
    wallet.hangUp()

    // One push after 2 s and one by the next run of lspd, with no iosd to take them.
    #expect(
      try provider.eventually { try provider.ledger("SELECT outcome FROM pushes") == ["iosd-away"] })
    provider.kill()
    try provider.start()
    let outcomes = { try provider.ledger("SELECT outcome FROM pushes ORDER BY id") }
    let once: [SQLValue] = ["iosd-away", "merged"]
    #expect(try provider.eventually { try outcomes() == once })

    var pushes: [ControlMessage] = []
    let phone = try UnixListener(path: "\(provider.home)/os/iosd.sock", loop: provider.loop) { client in
      client.onMessage = { message in
        pushes.append(message)
        client.send(ControlMessage("push", ["id": "1"]))
      }
    }
    defer { phone.shutDown() }
    #expect(try provider.eventually { try outcomes().first == "delivered" })
    #expect(pushes.count == 1)
    #expect(pushes.first?.bodyText.contains("\"reason\":\"PendingSettlement\"") == true)
    #expect(try provider.ledger("SELECT count(*) FROM pushes WHERE is_open") == [0])
    // A push requested after a delivery is sent separately.
    provider.kill()
    try provider.start()
    #expect(try provider.eventually { pushes.count == 2 })
    let twice: [SQLValue] = ["delivered", "merged", "delivered"]
    #expect(try provider.eventually { try outcomes() == twice })
  }
}
