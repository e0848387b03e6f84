import CoreShape
import DaemonRuntime
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import Testing

@testable import WalletProcess

/// The app's shell on a real container, with the test in the place of the phone.
@Suite("The shell around the guard")
final class GuardShellTests {
  /// Does something at the moment in which it gets its time back.
  private final class Phone: PhoneLink {
    var status: Status?
    var onTimeGivenBack: (() -> Void)?

    func show(_ status: Status) { self.status = status }
    func endBackgroundTask(_ id: UInt64) { onTimeGivenBack?() }
    func mayConnect(_ targets: [ConnectionTarget]) {}
    func deliver(_ push: UInt64, _ content: NotificationContent) {}
    func notify(_ content: NotificationContent, payment: String) {}
    func withdraw(payment: String) {}
    func finished(_ push: UInt64, _ reason: FinishReason) {}
    func completed(_ push: UInt64, _ outcome: SilentPushOutcome) {}
    func backgroundDone() {}
    func beginBackgroundTask(_ id: UInt64, name: String?) {}
  }

  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let container: SharedContainer
  private let phone = Phone()
  private let node: NodeShell
  private let shell: GuardShell<AppMachine>

  init() throws {
    scratch = try ScratchContainer()
    loop = try EventLoop()
    container = try scratch.open()
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    node = NodeShell(
      container: container, secrets: try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true),
      loop: loop, clock: scratch.clock, journal: journal, peer: nil)
    shell = GuardShell(
      configuration: GuardConfiguration(), container: container, node: node,
      presence: PresenceLink(directory: container.layout.presence, role: .app, loop: loop), phone: phone,
      loop: loop, clock: scratch.clock, journal: journal)
  }

  @Test("When the phone gets its time back, the database has all that was in its log") func settled()
    throws
  {
    shell.handle(.launched)
    shell.handle(.enteredForeground)
    #expect(try loop.run(for: .seconds(30)) { phone.status?.epoch == 1 })
    #expect(try claimsWithoutLog() == 0)
    var claimsThen: Int64?
    phone.onTimeGivenBack = { [unowned self] in
      do { claimsThen = try claimsWithoutLog() } catch { Issue.record(error) }
    }
    shell.handle(.enteredBackground)
    #expect(try loop.run(for: .seconds(30)) { claimsThen != nil })
    #expect(claimsThen == 1)
  }

  /// What is left when the log is lost now.
  private func claimsWithoutLog() throws -> Int64? {
    try scratch.databaseAlone(of: container).firstRow("SELECT count(*) FROM claims")?.integer(0)
  }
}
