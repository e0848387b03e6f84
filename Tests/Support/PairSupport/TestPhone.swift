import Baton
import Crypto
import DaemonRuntime
import Foundation
import Glibc
import Ground
import Guardrails
import Heartbeat
import Lightning
import Platform
import ProcessSupport
import SharedContainer
import TestKit

/// A phone driven by the test: real wallet processes and a real lspd, with the test in place of iosd, so that each
/// message to a process is one line of a test. Waits are for events, never for a time.
package final class TestPhone {

  package let home: String
  package let loop: EventLoop
  package let clock: Clock
  package let walletArguments: [String]
  private var peerArguments: [String]
  /// The home of the lspd that serves this phone's wallet.
  package let peersHome: String
  /// The peer's address for wallet processes; lspd's unless a test sets it.
  package var peerAddress: String?
  package private(set) var app: HeldProcess?
  package private(set) var extensions: [HeldProcess] = []
  package private(set) var peer: HeldProcess?
  private var listener: UnixListener?
  package private(set) var pushes: [[UInt8]] = []
  private var nextPush: UInt64 = 1
  private var nextRequest = 1
  private var hasEnded = false

  /// `servedBy`: a phone whose lspd also serves this one's wallet, which then has none of its own. That lspd is started again.
  package init(
    _ walletArguments: [String] = [], peerArguments: [String] = [], servedBy other: TestPhone? = nil
  ) throws {
    self.walletArguments = walletArguments
    self.peerArguments = peerArguments
    var template = Array("\(NSTemporaryDirectory())/baton-pair-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Wait.Failure(description: "no directory") }
    home = String(cString: made)
    peersHome = other?.home ?? home
    loop = try EventLoop()
    clock = Clock()
    try FileManager.default.createDirectory(atPath: "\(home)/os", withIntermediateDirectories: true)
    listener = try UnixListener(path: "\(home)/os/iosd.sock", loop: loop) { [unowned self] connection in
      connection.onMessage = { [unowned self, unowned connection] message in
        if message.verb == "push" { pushes.append(message.body) }
        connection.send(ControlMessage("ok"))
      }
    }
    if let other {
      try other.serve(home)
    } else {
      peer = try start("lspd", ["--home", home] + peerArguments)
    }
    try wait("lspd's address") { self.address != nil }
  }

  deinit { end() }

  /// Ends all processes, replays every journal, and removes the directory unless BATON_KEEP is set. Only a test for
  /// which the order matters calls it.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    for process in [app].compactMap({ $0 }) + extensions { process.kill(SIGKILL) }
    peer?.kill(SIGKILL)
    listener?.shutDown()
    for process in [app, peer].compactMap({ $0 }) + extensions { process.reap() }
    Journals.replay(of: home)
    if ProcessInfo.processInfo.environment["BATON_KEEP"] == nil {
      try? FileManager.default.removeItem(atPath: home)
    }
  }

  package var address: String? {
    guard let text = try? String(contentsOfFile: "\(peersHome)/lsp/address", encoding: .utf8) else {
      return nil
    }
    return text.isEmpty ? nil : text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: Waiting

  package func wait(_ what: String, until condition: () -> Bool) throws {
    func pause(_: Instant) throws {
      _ = try loop.run(for: .milliseconds(2)) { condition() }
      // If the condition takes that long the loop gets no time, and the test may have a proxy on the loop.
      try loop.turn(waitingMilliseconds: 0)
    }
    do {
      try Wait.until(what, pause: pause, condition)
    } catch let failure as Wait.Failure {
      throw Wait.Failure(description: "\(failure); app: \(app?.statuses ?? [])")
    }
  }

  // MARK: Processes

  private func start(_ name: String, _ arguments: [String]) throws -> HeldProcess {
    try HeldProcess("\(Started.directory)/\(name)", arguments, loop: loop, clock: clock)
  }

  private var common: [String] {
    [
      "--container", "\(home)/AppGroup", "--keychain", "\(home)/Keychain", "--journal", "\(home)/journal",
      "--clock", "\(home)/os/clock", "--peer", peerAddress ?? address ?? "",
    ] + walletArguments
  }

  private func serve(_ home: String) throws {
    peerArguments += ["--phone", home]
    try restartPeer()
    try wait("the other phone's socket") { access("\(home)/lsp/lspd.sock", F_OK) == 0 }
  }

  /// A crash of lspd: another process continues from the ledger, at the same address.
  package func restartPeer() throws {
    guard let old = peer else { return }
    old.kill(SIGKILL)
    try wait("the peer's end") { old.hasEnded }
    extensions.append(old)
    peer = try start("lspd", ["--home", home] + peerArguments)
  }

  /// Does not wait for the `hello`, as the process may refuse to start.
  package func startApp() throws -> HeldProcess {
    let process = try start("mainappd", common)
    app = process
    return process
  }

  package func launchApp() throws -> HeldProcess {
    let process = try startApp()
    try wait("the app's hello") { process.hasSaidHello }
    return process
  }

  /// The app in front, connected.
  package func connectedApp() throws -> HeldProcess {
    let app = try launchApp()
    try connect(app)
    return app
  }

  package func launchExtension() throws -> HeldProcess {
    let process = try start("notifyextd", common)
    extensions.append(process)
    try wait("the extension's hello") { process.hasSaidHello }
    return process
  }

  /// An extension with its push.
  package func pushToExtension() throws -> (HeldProcess, UInt64) {
    let notifier = try launchExtension()
    return (notifier, push(notifier))
  }

  package func connectedExtension() throws -> HeldProcess {
    let (notifier, _) = try pushToExtension()
    try wait("the extension to be connected") { notifier.status.hasPrefix("connected") }
    return notifier
  }

  /// Returns when the process has ended.
  package func kill(_ process: HeldProcess) throws {
    process.kill(SIGKILL)
    try wait("the end of a killed process") { process.hasEnded }
  }

  /// It stops inside a transaction.
  package func bystander() throws -> HeldProcess {
    let process = try start("TestBystander", ["\(home)/AppGroup"])
    extensions.append(process)
    return process
  }

  // MARK: The user

  package func open(_ app: HeldProcess) { app.send(ControlMessage("enter-foreground")) }
  package func connect(_ app: HeldProcess) throws {
    open(app)
    try wait("the app to be connected") { app.status.hasPrefix("connected") }
  }

  package func home(_ app: HeldProcess) { app.send(ControlMessage("enter-background")) }

  package func push(
    _ process: HeldProcess, _ payload: String = #"{"aps":{"alert":"pay"},"reason":"IncomingPayment"}"#
  ) -> UInt64 {
    defer { nextPush += 1 }
    process.send(ControlMessage("push", ["id": "\(nextPush)"], body: Array(payload.utf8)))
    return nextPush
  }

  /// Opens the app, has it make invoices, and sends it home; returns once the node is released.
  package func invoices(_ count: Int, _ app: HeldProcess) throws -> [SignedInvoice] {
    try connect(app)
    var made: [SignedInvoice] = []
    for number in 1...count { made.append(try invoice(UInt64(number) * 1000, app)) }
    let releases = app.count("background-end")
    home(app)
    try wait("the app to have released the node") { app.count("background-end") > releases }
    return made
  }

  package func invoice(_ amountMsat: UInt64, _ app: HeldProcess) throws -> SignedInvoice {
    let request = "r\(nextRequest)"
    nextRequest += 1
    app.ask(
      request, ControlMessage("invoice", ["amount-msat": "\(amountMsat)", "description": "test \(request)"]))
    try wait("an invoice") { app.answer(to: request) != nil }
    let answer = app.answer(to: request)
    guard let text = answer?["invoice"] else {
      throw Wait.Failure(description: "no invoice: \(answer?["message"] ?? "no answer")")
    }
    return try SignedInvoice(decoding: text)
  }

  /// The user pays; returns the app's first answer.
  package func send(_ invoice: SignedInvoice, _ app: HeldProcess) throws -> ControlMessage {
    let request = "s\(nextRequest)"
    nextRequest += 1
    app.ask(request, ControlMessage("send", ["invoice": invoice.encoded]))
    try wait("the app's answer") { app.answer(to: request) != nil }
    return app.answer(to: request) ?? ControlMessage("nothing")
  }

  /// The user withdraws; returns the app's first answer.
  package func withdraw(_ amountSat: UInt64, to address: String = TestPhone.ownAddress, _ app: HeldProcess)
    throws -> ControlMessage
  {
    let request = "w\(nextRequest)"
    nextRequest += 1
    app.ask(request, ControlMessage("withdraw", ["amount-sat": "\(amountSat)", "address": address]))
    try wait("the app's answer") { app.answer(to: request) != nil }
    return app.answer(to: request) ?? ControlMessage("nothing")
  }

  package static let ownAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"

  // MARK: The sender

  /// Asks the peer to pay, without waiting for the outcome.
  package func pay(_ invoice: SignedInvoice, holdSeconds: Int = 600) throws {
    _ = try askPeer(
      ControlMessage(
        "pay",
        [
          "payment-hash": invoice.paymentHash.hex, "amount-msat": "\(invoice.amountMsat ?? 0)", "wait": "no",
          "hold-seconds": "\(holdSeconds)", "payee": invoice.payee.hex,
          "payment-secret": invoice.fields.paymentSecret.hex, "total-msat": "\(invoice.amountMsat ?? 0)",
        ]))
  }

  package func outcome(_ invoice: SignedInvoice) throws -> String {
    try askPeer(ControlMessage("await", ["payment-hash": invoice.paymentHash.hex, "wait": "no"]))["state"]
      ?? "?"
  }

  /// Pays and waits until the payment has settled.
  package func receive(_ invoice: SignedInvoice) throws {
    try pay(invoice)
    try waitUntilSettled(invoice)
  }

  package func waitUntilSettled(_ invoice: SignedInvoice) throws {
    var last = ""
    try wait("payment \(invoice.amountMsat ?? 0) to settle") {
      last = (try? self.outcome(invoice)) ?? "no answer"
      return last == "settled"
    }
  }

  /// An invoice of an external recipient.
  package func externalInvoice(_ amountMsat: UInt64) throws -> SignedInvoice {
    let answer = try askPeer(ControlMessage("external-invoice", ["amount-msat": "\(amountMsat)"]))
    return try SignedInvoice(decoding: answer["invoice"] ?? "")
  }

  package func askPeer(_ message: ControlMessage) throws -> ControlMessage {
    try ControlClient(path: "\(peersHome)/lsp/lspd.sock", daemon: "lspd").request(message)
  }

  // MARK: Evidence

  package func snapshot() throws -> Snapshot { try Snapshot.take(of: "\(home)/AppGroup") }

  package var owner: ClaimRow? { try? snapshot().owner }

  package func receivedPayments() throws -> [String] {
    guard let table = try snapshot().tables.first(where: { $0.name == "received_payments" }),
      let column = table.columns.firstIndex(of: "payment_hash")
    else { return [] }
    return try table.rows.map { Hexadecimal.encode(try $0.blob(column)) }
  }

  package func journal(of name: String) -> String { Journals.text(of: home, name) }
}

// Evidence that tests read from outside, and figures that are printed only.
extension TestPhone {
  /// How many fenced writes were made under an epoch.
  package func writes(underEpoch epoch: UInt64) throws -> Int {
    guard let table = try snapshot().tables.first(where: { $0.name == "node_writes" }),
      let column = table.columns.firstIndex(of: "epoch")
    else { return -1 }
    return try table.rows.filter { try $0.unsigned(column) == epoch }.count
  }

  package func balanceMsat() throws -> UInt64 {
    guard let table = try snapshot().tables.first(where: { $0.name == "channels" }),
      let column = table.columns.firstIndex(of: "local_msat"), let row = table.rows.first
    else { return 0 }
    return try row.unsigned(column)
  }

  /// The state of the wallet's newest payment of an invoice; nil without a payment.
  package func sentState(_ invoice: SignedInvoice) -> String? {
    guard let table = try? snapshot().tables.first(where: { $0.name == "outgoing_payments" }),
      let hash = table.columns.firstIndex(of: "payment_hash"),
      let state = table.columns.firstIndex(of: "state"),
      let row = table.rows.last(where: { (try? $0.blob(hash)) == invoice.paymentHash.bytes })
    else { return nil }
    return try? row.text(state)
  }

  /// The states of the wallet's splices, the oldest first.
  package func spliceStates() -> [String] {
    guard let table = try? snapshot().tables.first(where: { $0.name == "splices" }),
      let state = table.columns.firstIndex(of: "state")
    else { return [] }
    return table.rows.compactMap { try? $0.text(state) }
  }

  /// The states of the peer's splices, oldest first.
  package func peerSpliceStates() throws -> [String] {
    let ledger = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    return try ledger.rows("SELECT state FROM splices ORDER BY id").map { try $0.text(0) }
  }

  /// The channel's funding txid at the wallet and at the peer.
  package func fundings() throws -> (wallet: [UInt8]?, peer: [UInt8]?) {
    let ledger = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    let table = try snapshot().tables.first { $0.name == "channels" }
    let column = table?.columns.firstIndex(of: "funding_txid")
    let wallet = try column.flatMap { column in try table?.rows.first?.optionalBlob(column) }
    return (wallet, try ledger.firstRow("SELECT funding_txid FROM channel")?.optionalBlob(0))
  }

  /// How many messages the peer processed on connections of this epoch.
  package func framesActedOn(epoch: UInt64) throws -> Int64 {
    let ledger = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    return try ledger.firstRow(
      """
      SELECT count(*) FROM frames f JOIN connections c ON c.id = f.connection
      WHERE c.epoch = ? AND f.direction = 'in' AND f.acted = 1
      """, [.unsigned(epoch)])?.integer(0) ?? -1
  }

  package func report(_ what: String, _ span: TimeSpan) {
    print("measured: \(what): \(Double(span.nanoseconds / 1000) / 1000) ms")
  }

  package func report(_ what: String, from start: Instant?, to end: Instant?) {
    if let start, let end { report(what, end - start) }
  }
}

// The rows of the database file without its log: what is left when the log is lost.
extension TestPhone {
  private func rowsWithoutLog(_ sql: String, _ values: [SQLValue] = []) throws -> Int64 {
    let copy = "\(home)/without-log.sqlite"
    // By another process: this one may open a live database only through SQLite.
    _ = try run("cp", ["\(home)/AppGroup/node.sqlite", copy])
    defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
    return try Connection(path: copy, access: .readWrite).firstRow(sql, values)?.integer(0) ?? 0
  }

  package func isSettledOnDisk(_ invoice: SignedInvoice) throws -> Bool {
    try rowsWithoutLog(
      "SELECT count(*) FROM received_payments WHERE payment_hash = ?", [.blob(invoice.paymentHash.bytes)])
      == 1
  }

  @discardableResult package func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    try Started.run("/usr/bin/env", [program] + arguments).code
  }
}
