import Crypto
import Platform
import Ground

/// More payments than a phone takes pushes at once, with all four programs.
@Suite("Many payments that wait, on the real phone", .serialized, .waits) struct ManyAnnouncementsTests {
  private static let count = 100
  private static let held = "Open now to receive - funds are being held"

  @Test func `After a restart of lspd each of 100 payments is told by the extension, none as it was sent`()
    throws
  {
    let phone = try CompletingPhone()
    try holdAll(phone)
    #expect(try phone.phone.notifications().isEmpty)
    // Of an app that was swiped away no silent push makes a process, which would receive or fail them.
    try phone.restartPeer { try phone.quit() }
    try Wait.until("each payment is announced") {
      try phone.phone.notifications().count { $0.push != nil } >= Self.count
    }
    let rows = try phone.phone.notifications()
    expect(rows.count, is: Self.count)
    expect(Set(rows.map(\.body)), is: [Self.held])
    expect(Set(rows.compactMap(\.key)).count, is: Self.count)
    try Wait.until("each payment has its record") { (try? phone.store.all())?.count == Self.count }
    expect(Set(try phone.store.all().map(\.record.paymentHash)), is: Set((1...Self.count).map(hash)))
  }

  private func hash(_ number: Int) -> Bytes32 { SHA256.hash(Array("payment \(number)".utf8)) }

  /// 30 in the channel with an app that does not answer, the others held behind them: none is announced yet.
  private func holdAll(_ phone: CompletingPhone) throws {
    _ = try phone.baton("app", "open")
    try phone.waitUntilConnected()
    let ledger = try Connection(
      path: "\(phone.home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 5000)
    try Wait.until("lspd knows the push key") {
      try ledger.firstRow("SELECT count(*) FROM push_keys")?.integer(0) == 1
    }
    kill(try #require(try phone.phone.facts().app.pid), SIGSTOP)
    for number in 1...Self.count {
      try phone.phone.ask(
        .lspd,
        ControlMessage(
          "pay",
          [
            "payment-hash": hash(number).hex, "amount-msat": "\(number * 1000)", "wait": "no",
            "hold-seconds": "600",
          ]))
    }
    expect(
      try phone.phone.peerPayments().count { $0.state == "held" || $0.state == "offered" }, is: Self.count)
  }
}
