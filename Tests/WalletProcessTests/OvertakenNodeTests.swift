import Ground
import Crypto
import DaemonRuntime
import Glibc
import Guardrails
import Lightning
import SharedContainer
import Testing
import WalletStore

@testable import WalletProcess

/// A node that is overtaken by another owner, or loses its container, on its way to the peer.
@Suite("A node that must not go on")
final class OvertakenNodeTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let app: SharedContainer
  private let other: SharedContainer
  private let peer: TestPeer
  private let node: NodeShell
  private var reports: [NodeReport] = []

  init() throws {
    scratch = try ScratchContainer()
    loop = try EventLoop()
    app = try scratch.open()
    other = try scratch.open(role: .extension)
    let channel = try Channel(id: SHA256.hash([2]), localMsat: 0, remoteMsat: 5000, isOpener: false)
    peer = try TestPeer(
      try Channel(id: SHA256.hash([2]), localMsat: 5000, remoteMsat: 0, isOpener: true), loop: loop)
    node = NodeShell(
      container: app, secrets: try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true), loop: loop,
      clock: scratch.clock,
      journal: try Journal(
        directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: []),
      peer: peer.address)
    let (claim, _) = try scratch.claim(app)
    try scratch.write(NodeChange(channel: channel), claim, app)
    node.onReport = { [unowned self] in reports.append($0) }
  }

  private func start() throws -> Epoch {
    let (claim, state) = try scratch.claim(app, seen: 1)
    node.start(claim, state)
    return claim.epoch
  }

  @Test("is fenced before it dials, when the row is another's by then") func beforeTheDial() throws {
    let (claim, state) = try scratch.claim(app, seen: 1)
    _ = try scratch.claim(other, seen: claim.epoch)
    node.start(claim, state)
    #expect(try loop.run(for: .seconds(30)) { reports.contains(.fenced) || !peer.heard.isEmpty })
    #expect(reports == [.connecting, .fenced])
    #expect(peer.heard.isEmpty)
  }

  @Test("is fenced before it speaks of its channel, when it was overtaken while it dialled")
  func beforeTheChannel() throws {
    let epoch = try start()
    peer.onGreeting = { [unowned self] in _ = try scratch.claim(other, seen: epoch) }
    let isOver = { [unowned self] in
      reports.contains(.fenced) || peer.heard.contains { $0.type == 136 }
    }
    #expect(try loop.run(for: .seconds(30), until: isOver))
    #expect(reports == [.connecting, .fenced])
    #expect(peer.heard.map(\.type) == [16])
  }

  @Test("goes on when it was not overtaken") func goesOn() throws {
    _ = try start()
    #expect(try loop.run(for: .seconds(30)) { reports.contains(.established) })
    #expect(reports == [.connecting, .established])
    #expect(peer.heard.contains { $0.type == 136 })
    node.stop(gracefully: false)
  }

  @Test("says so when a write finds that the container is lost") func lost() throws {
    _ = try start()
    #expect(try loop.run(for: .seconds(30)) { peer.heard.contains { $0.type == 136 } })
    var loss: ContainerError?
    node.onContainerLost = { loss = $0 }
    unlink(app.layout.databaseLog)
    node.store(
      Invoice(
        paymentHash: SHA256.hash([1]), amountMsat: 1000, text: "", tweak: SHA256.hash([2]), expiresAt: 0))
    #expect(try loop.run(for: .seconds(30)) { loss != nil })
    #expect(loss == .logReplaced(path: app.layout.databaseLog))
    node.stop(gracefully: false)
  }

  @Test("does not begin a payment that the container has as paid") func paidBefore() throws {
    let payment = OutgoingPayment(
      paymentHash: SHA256.hash([5]), amountMsat: 1000, paymentSecret: SHA256.hash([6]), htlc: 0)
    let (claim, state) = try scratch.claim(app, seen: 1)
    let end = PaymentChange.Ended(payment: payment, end: .paid(preimage: SHA256.hash([4])))
    try scratch.write(NodeChange(payments: PaymentChange(offered: [payment])), claim, app)
    try scratch.write(NodeChange(payments: PaymentChange(ended: [end])), claim, app)
    node.start(claim, state)
    var refused: [Bytes32] = []
    node.onPayment = { if case .refused(let hash, _) = $0 { refused.append(hash) } }
    var again = payment
    again.htlc = nil
    // Nothing else has been heard by now: the channel is not there to refuse it.
    node.pay(again)
    #expect(try loop.run(for: .seconds(30)) { !refused.isEmpty })
    #expect(refused == [payment.paymentHash])
    #expect(peer.heard.isEmpty)
    node.stop(gracefully: false)
  }
}
