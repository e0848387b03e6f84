import Platform
import Lightning

/// Two phones, each with its wallet, container and keychain, on one lspd.
@Suite("Two phones on one lspd", .serialized, .waits) struct TwoPhonesTests {
  private struct Pair {
    let first: TestPhone
    let second: TestPhone

    init() throws {
      first = try TestPhone()
      second = try TestPhone(servedBy: first)
    }

    func end() {
      second.end()
      first.end()
    }

    func judge(_ phone: TestPhone) throws -> Int32 {
      let more = phone === second ? ["--lsp", first.home] : []
      return try phone.run(
        "\(Started.directory)/baton",
        ["judge", phone.home, "--without", "phone", "--without", "journals", "--require-settled"] + more)
    }
  }

  @Test func `Both are paid by node id, each is fenced by itself, and the judge finds both sound`() throws {
    let pair = try Pair()
    defer { pair.end() }
    let apps = [try pair.first.launchApp(), try pair.second.launchApp()]
    let mine = try pair.first.invoices(2, apps[0])
    let theirs = try pair.second.invoices(2, apps[1])
    #expect(mine[0].payee != theirs[0].payee)

    // Both are away: each phone gets the push of its own payment.
    for invoice in mine { try pair.first.pay(invoice) }
    for invoice in theirs { try pair.second.pay(invoice) }
    try pair.first.wait("the first push") { !pair.first.pushes.isEmpty }
    try pair.second.wait("the second push") { !pair.second.pushes.isEmpty }
    for (phone, others) in [(pair.first, theirs), (pair.second, mine)] {
      let text = phone.pushes.map { String(decoding: $0, as: UTF8.self) }.joined()
      for invoice in others { #expect(!text.contains(invoice.paymentHash.hex)) }
    }

    // The second phone's app is killed; its extension takes over, which the first phone does not notice.
    apps[1].kill(SIGKILL)
    try pair.second.wait("the app's end") { apps[1].hasEnded }
    let extensions = [try pair.first.launchExtension(), try pair.second.launchExtension()]
    for (phone, process) in zip([pair.first, pair.second], extensions) { _ = phone.push(process) }
    for invoice in mine { try pair.first.waitUntilSettled(invoice) }
    for invoice in theirs { try pair.second.waitUntilSettled(invoice) }
    expect(try Set(pair.first.receivedPayments()), is: Set(mine.map(\.paymentHash.hex)))
    expect(try Set(pair.second.receivedPayments()), is: Set(theirs.map(\.paymentHash.hex)))
    expect(try pair.judge(pair.first), is: 0)
    expect(try pair.judge(pair.second), is: 0)
  }

  @Test func `After a kill of lspd both go on, and the judge sees a row that was moved to the other wallet`()
    throws
  {
    let pair = try Pair()
    defer { pair.end() }
    let apps = [try pair.first.launchApp(), try pair.second.launchApp()]
    let mine = try pair.first.invoices(1, apps[0])
    let theirs = try pair.second.invoices(1, apps[1])
    try pair.first.pay(mine[0])
    try pair.second.pay(theirs[0])
    try pair.first.restartPeer()
    for (phone, app) in zip([pair.first, pair.second], apps) { phone.open(app) }
    try pair.first.waitUntilSettled(mine[0])
    try pair.second.waitUntilSettled(theirs[0])
    expect(try pair.judge(pair.first), is: 0)
    expect(try pair.judge(pair.second), is: 0)
    let ledger = try Connection(
      path: "\(pair.first.home)/lsp/ledger.sqlite", access: .readWrite, busyTimeoutMs: 5000)
    try ledger.execute("UPDATE payments SET wallet = 1 WHERE wallet = 2")
    expect(try pair.judge(pair.first), is: 2)
    expect(try pair.judge(pair.second), is: 2)
    try ledger.execute(
      "UPDATE payments SET wallet = 2 WHERE payment_hash = ?", [.blob(theirs[0].paymentHash.bytes)])
    expect(try pair.judge(pair.first), is: 0)
  }
}
