import BadWire
import LightningIO

@Suite("The pair on real processes: a bad wire to the LSP", .serialized, .waits) struct BadWirePairTests {
  /// The phone, with a proxy in front of its LSP.
  private func phone(
    _ habits: @escaping (Int) -> BadWire.Habits
  ) throws -> (phone: TestPhone, proxy: BadWireProxy) {
    let phone = try TestPhone()
    let peer = try #require(phone.address.flatMap { PeerAddress($0) })
    let proxy = try BadWireProxy(to: peer.place, loop: phone.loop, habits: habits)
    phone.peerAddress = PeerAddress(node: peer.node, place: proxy.place).description
    return (phone, proxy)
  }

  private func habits(_ change: (inout BadWire.Habits) -> Void) -> BadWire.Habits {
    var habits = BadWire.Habits()
    change(&habits)
    return habits
  }

  private func payThree(_ phone: TestPhone) throws {
    let app = try phone.launchApp()
    let invoices = try phone.invoices(3, app)
    phone.open(app)
    for invoice in invoices { try phone.pay(invoice) }
    for invoice in invoices { try phone.waitUntilSettled(invoice) }
    expect(try phone.receivedPayments().count, is: 3)
  }

  @Test
  func `On a wire that delays every piece, three payments settle without an additional connection`() throws {
    let (phone, proxy) = try phone { _ in habits { $0.delay = 2_000_000...20_000_000 } }
    try payThree(phone)
    // One to make the invoices, and one when the app returned to the foreground.
    expect(proxy.connections, is: 2)
  }

  @Test(arguments: [1, 2, 3])
  func `After six connections cut at various bytes each of three payments is received once`(round: Int) throws
  {
    // The first six are cut, from the middle of the handshake to the middle of a payment.
    let (phone, proxy) = try phone { number in
      habits { if number < 7 { $0.cutAfter = number * 397 * round % 4000 } }
    }
    try payThree(phone)
    #expect(proxy.connections >= 7)
  }

  @Test
  func `Lost, repeated and reordered bytes are detected, and later connections receive the payments`() throws
  {
    let (phone, proxy) = try phone { number in
      habits {
        switch number {
        case 1: $0.repeated = 1000
        case 2: $0.overtaken = 500
        case 3: $0.lost = 200
        default: break
        }
      }
    }
    try payThree(phone)
    #expect(proxy.connections >= 3)
    let noticed = phone.journal(of: "mainappd").contains("cannot be decrypted: bytes were changed")
    #expect(noticed)
  }

  @Test
  func `The LSP notices that a killed app's connection is closed, although the wire delays data`() throws {
    let (phone, proxy) = try phone { _ in habits { $0.delay = 1_000_000...3_000_000 } }
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("a connection") { app.statuses.contains("connected") }
    app.kill(SIGKILL)
    try phone.wait("the LSP to see the end") { phone.journal(of: "lspd").contains("connectionClosed") }
    expect(proxy.connections, is: 1)
  }
}
