import CoreShape
import Crypto
import Database
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import Testing
import WalletStore

@testable import WalletProcess

@Suite("The shell around the node")
final class NodeShellTests {
  private let directory: String
  private let clock = Clock()
  private let loop: EventLoop
  private let app: SharedContainer
  private let other: SharedContainer
  private let node: NodeShell
  private var reports: [NodeReport] = []

  init() throws {
    var template = Array("/tmp/baton-node-shell-XXXXXX".utf8CString)
    directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    loop = try EventLoop()
    app = try SharedContainer.open("\(directory)/c", role: .app, nodeSchema: WalletSchema.migrations)
    other = try SharedContainer.open("\(directory)/c", role: .extension, nodeSchema: WalletSchema.migrations)
    node = NodeShell(
      container: app, secrets: try WalletSecrets(keychain: "\(directory)/k"), loop: loop, clock: clock,
      journal: try Journal(
        directory: "\(directory)/j", name: "test", clock: clock, version: "0", arguments: []),
      peer: try #require(HostAndPort("127.0.0.1:1")))
  }

  private func claim(_ container: SharedContainer, seen: Epoch) throws -> (Claim, NodeState) {
    let claimant = Claimant(
      process: ProcessTable.current(boot: clock.boot), incarnation: try SharedContainer.newIncarnation(),
      reason: "test", bootClock: clock.bootClock, wallClockNanoseconds: 0)
    guard
      case .claimed(let claim, let state) = container.claim(
        seen: seen, by: claimant, reading: WalletStore.readState)
    else { throw SystemError("claim", code: EBUSY) }
    return (claim, state)
  }

  private func invoice(_ number: UInt8) -> Invoice {
    Invoice(
      paymentHash: SHA256.hash([number]), amountMsat: 1000, text: "", tweak: SHA256.hash([number, 0]),
      expiresAt: 0)
  }

  /// The app is frozen in the middle of what follows a write; the extension takes over and releases; the app thaws,
  /// finds itself fenced by the beat that a report led to, and claims again, all before the list goes on.
  @Test("What the node had in mind under one claim is not written under the next")
  func oldStepUnderANewClaim() throws {
    let (first, state) = try claim(app, seen: 0)
    node.start(first, state)
    let blocker = try Connection(path: app.layout.database, access: .readWrite)
    try blocker.execute("BEGIN IMMEDIATE")
    node.store(invoice(1))
    node.store(invoice(2))
    try blocker.execute("COMMIT")
    var isTakenOver = false
    node.onReport = { [unowned self] in reports.append($0) }
    node.onInvoiceStored = { [unowned self] _ in
      isTakenOver = true
      do {
        _ = try claim(other, seen: 1)
        other.releaseRoleLock()
        node.stop(gracefully: false)
        app.releaseRoleLock()
        let (third, state) = try claim(app, seen: 2)
        node.start(third, state)
      } catch { Issue.record(error) }
    }
    _ = try loop.run(for: .seconds(5)) { isTakenOver && reports.contains(.stopped) }
    #expect(try blocker.firstRow("SELECT count(*) FROM invoices")?.integer(0) == 1)
    #expect(!reports.contains(.fenced))
  }
}
