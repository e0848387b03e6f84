import Platform

@testable import WalletProcess

/// Two invoices wait for a blocked container. Between their writes another process takes the node over, and the app
/// claims it again.
@Suite("The claim of a write") final class ClaimOfWriteTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let app: SharedContainer
  private let other: SharedContainer
  private let wallet: TestWallet<AppMachine>
  private let database: Connection
  private let tea = Request.invoice(amountMsat: 1000, text: "tea", expirySeconds: 60)

  init() throws {
    scratch = ScratchContainer()
    loop = try EventLoop()
    app = try scratch.open()
    other = try scratch.open(role: .extension)
    wallet = try TestWallet(
      scratch, app, try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true), loop: loop)
    database = try Connection(path: app.layout.database, access: .readWrite)
    wallet.open()
    try database.execute("BEGIN IMMEDIATE")
    for id in ["1", "2"] { wallet.ask(id, tea) }
    #expect(wallet.status?.epoch == 1 && wallet.answers.isEmpty)
    try database.execute("COMMIT")
  }

  /// Another process claims the node and releases it.
  private func takeOver() throws {
    _ = try scratch.claim(other, seen: 1)
    other.releaseRoleLock()
  }

  private func writes() throws -> [Int64] {
    try database.rows("SELECT epoch FROM node_writes").map { try $0.integer(0) }
  }

  @Test func `A write decided under one claim is not made under the next`() throws {
    var written: Set<Bytes32> = []
    wallet.willCarryOut = { [unowned self] in
      guard case .container(.write(let change, _)) = $0, let invoice = change.newInvoice,
        written.insert(invoice.paymentHash).inserted, written.count == 2
      else { return }
      do {
        try takeOver()
        app.releaseRoleLock()
        _ = try scratch.claim(app, seen: 2)
      } catch { Issue.record(error) }
    }
    #expect(try loop.run(for: .seconds(60)) { wallet.answers.count == 2 })
    expect(try writes(), is: [1])
    guard case .invoice? = wallet.answers["1"], case .refused(.invoice, let why)? = wallet.answers["2"] else {
      Issue.record("\(wallet.answers)")
      return
    }
    expect(why, is: "the node was stopped before it stored the request; open the app and repeat the request")
    expect(wallet.reports.filter { $0 == .fenced }, is: [.fenced])
    // It has claimed again, and the old step is dropped.
    #expect(wallet.status?.epoch == 4 && wallet.node.durableState.invoices.count == 1)
  }

  @Test func `A report that the node made under one claim does not stop the node under the next`() throws {
    wallet.willCarryOut = { [unowned self] in
      guard case .phone(.answer("1", _)) = $0 else { return }
      do { try takeOver() } catch { Issue.record(error) }
      wallet.handle(.enteredBackground, .enteredForeground)
    }
    #expect(try loop.run(for: .seconds(60)) { wallet.status?.epoch == 3 })
    guard case .invoice? = wallet.answers["1"], case .invoice? = wallet.answers["2"] else {
      Issue.record("\(wallet.answers)")
      return
    }
    // The second was written under the claim that it was decided under.
    expect(try writes(), is: [1, 1])
    #expect(!wallet.reports.contains(.fenced))
    expect(wallet.reports.drop { $0 != .stopped }.dropFirst().first, is: .connecting)
    #expect(!wallet.node.isStopped && wallet.node.durableState.invoices.count == 2)
  }
}
