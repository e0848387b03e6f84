import Platform
@testable import Wallet

@testable import WalletProcess

@Suite("Backups sealed with the seed") struct WalletSecretsTests {
  private let scratch: ScratchContainer
  private let secrets: WalletSecrets
  private let backup: NodeBackup

  init() throws {
    scratch = ScratchContainer()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
    let channel = try Channel(id: SHA256.hash([1]), localMsat: 1, remoteMsat: 2, isOpener: false)
    backup = NodeBackup(
      channel: channel, invoices: [secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: 9)])
  }

  @Test func `A sealed backup is opened whole, with the secrets of its invoices`() {
    expect(secrets.open(secrets.seal(backup.encoded())), is: .backup(backup))
  }

  @Test func `A backup of another version is reported with both versions, not as damaged`() {
    var blob = secrets.seal(backup.encoded())
    blob[0] += 1
    expect(secrets.open(blob), is: .otherVersion(2, known: 1))
    var inside = backup.encoded()
    inside[0] -= 1
    expect(secrets.open(secrets.seal(inside)), is: .otherVersion(3, known: 4))
  }

  @Test func `A changed or truncated backup, or one of another seed, is unreadable`() throws {
    let blob = secrets.seal(backup.encoded())
    for place in [1, blob.count / 2, blob.count - 1] {
      var damaged = blob
      damaged[place] ^= 1
      expect(secrets.open(damaged), is: .unreadable)
    }
    for count in [0, 1, 29] { expect(secrets.open(Array(blob.prefix(count))), is: .unreadable) }
    let other = try WalletSecrets(keychain: scratch.path("other"), walletIsNew: true)
    expect(other.open(blob), is: .unreadable)
  }
}

/// The wallet's container orders, on a real container.
@Suite("The port to the container") final class WalletContainerTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let secrets: WalletSecrets

  init() throws {
    scratch = ScratchContainer()
    loop = try EventLoop()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
  }

  private func wallet<Guard: GuardMachine & WalletGuard>(
    _ type: Guard.Type, _ container: SharedContainer
  ) throws -> TestWallet<Guard> {
    try TestWallet(scratch, container, secrets, loop: loop)
  }

  private struct ManyRecords: PaymentCompletion {
    func open(_ sealed: SealedMembers, with key: PrivateKey) -> [UInt8]? { nil }
    func records() throws(IncomingStoreError) -> (records: [IncomingRecord], unread: Int64) {
      ([], 1_000_000)
    }
    func remove(_ records: [IncomingRecord]) throws(IncomingStoreError) -> [Bytes32] { [] }
  }

  @Test func `Rows of announced payments that are not read are noted once, and the app goes on`() throws {
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    let container = WalletContainer(
      try scratch.open(), secrets: secrets, loop: loop, clock: scratch.clock, journal: journal,
      completion: ManyRecords())
    var answers = 0
    container.onEvent = { _ in answers += 1 }
    for _ in 0..<2 { container.readIncoming([]) }
    expect(answers, is: 2)
    let file = try #require(DirectoryListing.names(of: scratch.path("j"))?.first)
    let lines = try #require(SmallFile.read("\(scratch.path("j"))/\(file)", limit: 65_536))
    expect(String(decoding: lines, as: UTF8.self).ranges(of: "has 1000000 more rows").count, is: 1)
  }

  @Test func `The node starts from the state read in the claim`() throws {
    let payment = OutgoingPayment(
      paymentHash: SHA256.hash([1]), amountMsat: 1000, paymentSecret: SHA256.hash([2]), htlc: 0)
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    try scratch.write(NodeChange(payments: PaymentChange(offered: [payment])), claim, container)
    container.releaseRoleLock()
    let app = try wallet(AppMachine.self, container)
    var pending: [OutgoingPayment]?
    app.willCarryOut = { [unowned app] in
      if $0 == .container(.checkRow) { pending = pending ?? app.node.durableState.payments.pending }
    }
    app.open()
    expect(pending, is: [payment])
  }

  @Test func `When the app ends its background task, the database contains the commits of SQLite's log`()
    throws
  {
    let container = try scratch.open()
    let app = try wallet(AppMachine.self, container)
    app.open()
    expect(app.status?.epoch, is: 1)
    expect(try claims(withoutLogOf: container), is: 0)
    var claimsThen: Int64?
    app.willCarryOut = { [unowned self] in
      guard case .phone(.guardrail(.endBackgroundTask)) = $0 else { return }
      do { claimsThen = try claims(withoutLogOf: container) } catch { Issue.record(error) }
    }
    app.handle(.enteredBackground)
    #expect(try loop.run(for: .seconds(60)) { claimsThen != nil })
    expect(claimsThen, is: 1)
  }

  private func receive(_ text: String, _ claim: Claim, _ app: SharedContainer) throws {
    let invoice = secrets.makeInvoice(amountMsat: 21_000, text: text, expiresAt: .max)
    try scratch.write(NodeChange(newInvoice: invoice), claim, app)
    let receipt = Receipt(invoice: invoice, amountMsat: 21_000)
    try scratch.write(NodeChange(received: [receipt]), claim, app)
  }

  @Test
  func `A push that arrives while payments are unreadable reports only payments received after it`() throws {
    let app = try scratch.open()
    let (claim, _) = try scratch.claim(app)
    try receive("old", claim, app)
    // No connection of the wallet may change a table.
    let other = try Connection(path: app.layout.database, access: .readWrite)
    func rename(_ from: String, _ to: String) throws {
      try other.execute("ALTER TABLE \(from) RENAME TO \(to)")
    }
    let notifier = try wallet(ExtensionMachine.self, try scratch.open(role: .extension))
    var asksForNew = false
    notifier.willCarryOut = {
      if case .container(.readReceived(.after(1), push: 1)) = $0 { asksForNew = true }
    }
    try rename("received_payments", "out_of_reach")
    notifier.handle(.launched, .pushArrived(Push(id: 1, reason: .pendingSettlement)))
    try rename("out_of_reach", "received_payments")
    #expect(try loop.run(for: .seconds(60)) { asksForNew })
    try receive("new", claim, app)
    #expect(try loop.run(for: .seconds(60)) { !notifier.delivered.isEmpty })
    expect(notifier.delivered.map(\.body), is: ["+21 sat: new"])
  }

  @Test func `A push without a payment hash reports a payment received after it, not earlier ones`() throws {
    let app = try scratch.open()
    let (claim, _) = try scratch.claim(app)
    try receive("old", claim, app)
    let notifier = try wallet(ExtensionMachine.self, try scratch.open(role: .extension))
    notifier.handle(.launched, .pushArrived(Push(id: 1, reason: .pendingSettlement)))
    // The extension has seen that the app holds the node.
    try receive("new", claim, app)
    #expect(try loop.run(for: .seconds(60)) { !notifier.delivered.isEmpty })
    expect(notifier.delivered.map(\.body), is: ["+21 sat: new"])
  }

  @Test
  func `The refresh task's result names the highest epoch, if any, and says that there is no channel`() throws
  {
    let container = try scratch.open()
    let app = try wallet(AppMachine.self, container)
    expect(app.container.lookAtWallet(), is: .done("no process has owned the node yet, no channel"))
    app.open()
    expect(app.container.lookAtWallet(), is: .done("epoch 1, no channel"))
  }

  /// The number of stored claims if the log were lost now.
  private func claims(withoutLogOf container: SharedContainer) throws -> Int64? {
    try scratch.databaseAlone(of: container).firstRow("SELECT count(*) FROM claims")?.integer(0)
  }
}

@Suite struct WalletNotificationsTests {
  private func fields(_ outcome: PushOutcome) -> ControlMessage {
    ControlMessage(
      "content", fields: WalletNotifications.fields(of: NotificationContent(outcome, of: .phoenix)))
  }

  @Test(.shows("B-1.2.4"))
  func `A received payment's notification is time-sensitive, with default sound and category`() {
    let message = fields(.received(ReceivedPayment(paymentHash: .zero, amountMsat: 5000, text: "Coffee")))
    expect(message["title"], is: "Received payment")
    expect(message["level"], is: "time-sensitive")
    expect(message["sound"], is: "default")
    expect(message["category"], is: "INCOMING_PAYMENT")
    expect(message["badge"], is: "1")
  }

  @Test(.shows("B-1.2.4")) func `A missed payment's notification has no level, sound or category`() {
    let message = fields(.nothingReceived(.incomingPayment))
    expect(message["title"], is: "Missed incoming payment")
    #expect(message["level"] == nil)
    #expect(message["sound"] == nil)
    #expect(message["category"] == nil)
  }
}
