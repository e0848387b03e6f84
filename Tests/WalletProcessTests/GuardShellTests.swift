import Ground
import Crypto
import DaemonRuntime
import Foundation
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import Testing
import Wallet

@testable import WalletProcess

/// The app's shell on a real container, with the test in the place of the phone.
@Suite("The shell around the guard")
final class GuardShellTests {
  /// Does something at the moment in which it gets its time back.
  private final class Phone: PhoneLink {
    var status: Status?
    var onTimeGivenBack: (() -> Void)?
    var delivered: [PushOutcome] = []

    func show(_ status: Status) { self.status = status }
    func endBackgroundTask(_ id: UInt64) { onTimeGivenBack?() }
    func mayConnect(_ targets: [ConnectionTarget]) {}
    func deliver(_ push: UInt64, _ outcome: PushOutcome) { delivered.append(outcome) }
    func notify(_ payment: ReceivedPayment) {}
    func withdraw(payment: Bytes32) {}
    func finished(_ push: UInt64, _ reason: FinishReason) {}
    func completed(_ push: UInt64, _ outcome: SilentPushOutcome) {}
    func backgroundDone() {}
    func beginBackgroundTask(_ id: UInt64, name: String?) {}
  }

  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let secrets: WalletSecrets
  private let journal: Journal
  private let phone = Phone()

  init() throws {
    scratch = try ScratchContainer()
    loop = try EventLoop()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
    journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
  }

  private func shell<Machine: GuardMachine>(
    _ type: Machine.Type, _ container: SharedContainer, _ node: NodeShell? = nil
  ) -> GuardShell<Machine> {
    GuardShell(
      configuration: GuardConfiguration(), container: container, node: node ?? self.node(container),
      presence: PresenceLink(directory: container.layout.presence, role: Machine.role, loop: loop),
      phone: phone, loop: loop, clock: scratch.clock, journal: journal)
  }

  private func node(_ container: SharedContainer) -> NodeShell {
    NodeShell(
      container: container, secrets: secrets, loop: loop, clock: scratch.clock, journal: journal, peer: nil)
  }

  @Test("The node starts from the state that was read in the claim") func stateOfTheClaim() throws {
    let payment = OutgoingPayment(
      paymentHash: SHA256.hash([1]), amountMsat: 1000, paymentSecret: SHA256.hash([2]), htlc: 0)
    let container = try scratch.open()
    let (claim, _) = try scratch.claim(container)
    try scratch.write(NodeChange(payments: PaymentChange(offered: [payment])), claim, container)
    container.releaseRoleLock()
    var pending: [Bytes32]?
    let node = node(container)
    node.onPayment = { if case .started(let hashes) = $0 { pending = hashes } }
    let shell = shell(AppMachine.self, container, node)
    shell.handle(.launched)
    shell.handle(.enteredForeground)
    #expect(try loop.run(for: .seconds(30)) { pending != nil })
    #expect(pending == [payment.paymentHash])
  }

  @Test("When the phone gets its time back, the database has all that was in its log") func settled()
    throws
  {
    let container = try scratch.open()
    let shell = shell(AppMachine.self, container)
    shell.handle(.launched)
    shell.handle(.enteredForeground)
    #expect(try loop.run(for: .seconds(30)) { phone.status?.epoch == 1 })
    #expect(try claims(withoutLogOf: container) == 0)
    var claimsThen: Int64?
    phone.onTimeGivenBack = { [unowned self] in
      do { claimsThen = try claims(withoutLogOf: container) } catch { Issue.record(error) }
    }
    shell.handle(.enteredBackground)
    #expect(try loop.run(for: .seconds(30)) { claimsThen != nil })
    #expect(claimsThen == 1)
  }

  @Test("A push that names no payment tells of one that the app receives then, and of none from before")
  func newPayment() throws {
    let app = try scratch.open()
    let (claim, _) = try scratch.claim(app)
    func receive(_ text: String) throws -> ReceivedPayment {
      let invoice = secrets.makeInvoice(amountMsat: 21_000, text: text, expiresAt: .max)
      try scratch.write(NodeChange(newInvoice: invoice), claim, app)
      let receipt = Receipt(invoice: invoice, amountMsat: 21_000)
      try scratch.write(NodeChange(received: [receipt]), claim, app)
      return ReceivedPayment(receipt)
    }
    _ = try receive("old")
    let shell = shell(ExtensionMachine.self, try scratch.open(role: .extension))
    shell.handle(.launched)
    shell.handle(.pushArrived(Push(id: 1, reason: .pendingSettlement)))
    // It has looked, and has seen that the app holds the node.
    let new = try receive("new")
    #expect(try loop.run(for: .seconds(30)) { !phone.delivered.isEmpty })
    #expect(phone.delivered == [.received(new)])
  }

  @Test("A look that finds another container at the path is one event, and the end") func containerLost()
    throws
  {
    let shell = shell(AppMachine.self, try scratch.open())
    var end: EndReason?
    shell.onEnd = { end = $0 }
    shell.handle(.launched)
    try FileManager.default.moveItem(atPath: scratch.path("c"), toPath: scratch.path("elsewhere"))
    shell.handle(.enteredForeground)
    #expect(end == .containerLost && shell.loss != nil)
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path("j"))
    let text = try files.map { try String(contentsOfFile: scratch.path("j/\($0)"), encoding: .utf8) }.joined()
    #expect(text.contains(#""event":{"lookFailed":{"_0":{"lost":"#) && !text.contains("containerLost"))
  }

  /// What is left when the log is lost now.
  private func claims(withoutLogOf container: SharedContainer) throws -> Int64? {
    try scratch.databaseAlone(of: container).firstRow("SELECT count(*) FROM claims")?.integer(0)
  }
}
