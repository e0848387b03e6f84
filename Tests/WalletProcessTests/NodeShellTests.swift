import Ground
import Crypto
import Database
import DaemonRuntime
import Glibc
import Guardrails
import Heartbeat
import Lightning
import SharedContainer
import PeerTransport
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
      container: app, secrets: try WalletSecrets(keychain: "\(directory)/k", walletIsNew: true), loop: loop,
      clock: clock,
      journal: try Journal(
        directory: "\(directory)/j", name: "test", clock: clock, version: "0", arguments: []),
      peer: PeerAddress(
        node: try #require(PrivateKey(SHA256.hash([1]))).publicKey,
        place: try #require(HostAndPort("127.0.0.1:1"))))
  }

  private func claim(_ container: SharedContainer, seen: Epoch) throws -> (Claim, NodeState) {
    let claimant = Claimant(
      process: ProcessTable.current(boot: clock.boot), incarnation: try SharedContainer.newIncarnation(),
      reason: "test", bootClock: clock.bootClock, wallClockNanoseconds: 0)
    guard
      case .claimed(let claim, let state) = container.claim(
        seen: seen, by: claimant,
        reading: { try WalletStore.readState($0, at: BootMoment(boot: clock.boot, clock: clock.bootClock)) })
    else { throw SystemError("claim", code: EBUSY) }
    return (claim, state)
  }

  private func invoice(_ number: UInt8) -> Invoice {
    Invoice(
      paymentHash: SHA256.hash([number]), amountMsat: 1000, text: "", tweak: SHA256.hash([number, 0]),
      expiresAt: 0)
  }

  /// The first of two invoices is stored; whoever is told of it finds the node taken over and released meanwhile,
  /// and claims again. By then the second is stored as well, under the claim that it was decided under.
  @Test("What the node had in mind under one claim is not written under the next")
  func oldStepUnderANewClaim() throws {
    let (first, state) = try claim(app, seen: 0)
    node.start(first, state)
    let blocker = try Connection(path: app.layout.database, access: .readWrite)
    try blocker.execute("BEGIN IMMEDIATE")
    node.store(invoice(1))
    node.store(invoice(2))
    try blocker.execute("COMMIT")
    var told: [Bytes32] = []
    node.onInvoiceStored = { [unowned self] hash in
      told.append(hash)
      guard told.count == 1 else { return }
      do {
        _ = try claim(other, seen: 1)
        other.releaseRoleLock()
        node.stop(gracefully: false)
        app.releaseRoleLock()
        let (third, state) = try claim(app, seen: 2)
        node.onReport = { [unowned self] in reports.append($0) }
        node.start(third, state)
      } catch { Issue.record(error) }
    }
    _ = try loop.run(for: .seconds(5)) { told.count == 2 && reports.contains(.connecting) }
    #expect(told == [invoice(1).paymentHash, invoice(2).paymentHash])
    let writes = try blocker.rows("SELECT epoch FROM node_writes").map { try $0.integer(0) }
    #expect(writes == [1, 1])
    // What the first life said when it was stopped would end the second one.
    #expect(!reports.contains(.stopped) && !reports.contains(.fenced))
  }
}
