import PhonePolicy

@testable import Baton

@Suite("baton list payments", .waits) struct PaymentsVerbTests {
  private let phone = CommandPhone()

  @Test(.shows("L-K.3", "L-K.4"))
  func `After a payment to the closed app, payments and balance of the opened app have it`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let before = try balanceMsat()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    let paid = try phone.run("pay", invoice)
    #expect(paid.contains("settled: 5,000 sat"), "\(paid)")
    try phone.openAndConnect()
    let rows = JSONValue(parsing: Array(try phone.run("list", "payments", "--json").utf8))?.elements
    expect(rows?.map { $0["amount_msat"]?.uint }, is: [5_000_000])
    expect(rows?.map { $0["direction"]?.text }, is: ["in"])
    expect(try balanceMsat(), is: before + 5_000_000)
  }

  private func balanceMsat() throws -> UInt64 {
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    return try #require(status?["balance_msat"]?.uint)
  }

  @Test
  func `Of the peer's payments a held one shows its remaining hold time, and a settled one is left out`()
    throws
  {
    let now = Instant(nanoseconds: 100_000_000_000)
    func entry(_ json: String) throws -> PaymentEntry? {
      PaymentEntry(
        atPeer: try #require(PeerPaymentRow(json: json.utf8)), wallNanoseconds: 500_000_000_000, now: now)
    }
    let row =
      #""id":1,"payment_hash":"aa","amount_msat":7000,"requested_at_ns":90000000000,"hold_until_ns":160000000000"#
    let held = try #require(try entry("{\(row),\"state\":\"held\"}"))
    expect(held.holdLeftMs, is: 60_000)
    expect(held.atWallNs, is: 490_000_000_000)
    #expect(held.cells.contains("held at the peer, 60.0 s left"))
    #expect(held.json.contains(#""hold_left_ms":60000"#))
    let offered = try #require(try entry("{\(row),\"state\":\"offered\"}"))
    #expect(offered.holdLeftMs == nil)
    #expect(try entry("{\(row),\"state\":\"paid\"}") == nil)
    #expect(PeerPaymentRow(json: "{\"state\":\"held\"}".utf8) == nil)
  }
}
