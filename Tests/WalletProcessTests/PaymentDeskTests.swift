import Ground
import Crypto
import DaemonRuntime
import Guardrails
import Lightning
import PeerTransport
import Testing

@testable import WalletProcess

/// A desk whose node holds nothing, so that each payment that it takes is refused by the node.
@Suite("Asking the app to pay")
final class PaymentDeskTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let node: NodeShell
  private let desk: PaymentDesk
  private var answers: [ControlMessage] = []
  private var tasks: [GuardEvent] = []

  init() throws {
    scratch = try ScratchContainer()
    loop = try EventLoop()
    let secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
    node = NodeShell(
      container: try scratch.open(), secrets: secrets, loop: loop, clock: scratch.clock,
      journal: try Journal(
        directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: []),
      peer: nil)
    desk = PaymentDesk(wallet: secrets.nodeKey.publicKey, node: node, clock: scratch.clock)
    desk.onAnswer = { [unowned self] in answers.append($0) }
    desk.onTask = { [unowned self] in tasks.append($0) }
  }

  private var now: Int64 { scratch.clock.wallNanoseconds / 1_000_000_000 }

  private func invoice(madeAt: Int64, for seconds: UInt64) throws -> String {
    let fields = InvoiceFields(
      network: .regtest, amountMsat: 1000, timestamp: UInt64(madeAt), paymentHash: SHA256.hash([1]),
      paymentSecret: SHA256.hash([2]), purpose: .text("tea"), expirySeconds: seconds,
      finalExpiryDelta: InvoiceFields.finalExpiryDeltaStandard, routeHints: [], features: .ofEveryInvoice)
    return try SignedInvoice(fields, signedBy: try #require(PrivateKey(SHA256.hash([3])))).encoded
  }

  private func ask(_ request: String, _ invoice: String) {
    desk.asked(ControlMessage("send", ["request": request, "invoice": invoice]))
  }

  @Test("A payment that the node refuses ends its task, and may be asked for again") func refused() throws {
    let word = try invoice(madeAt: now, for: 3600)
    for request in ["1", "2"] {
      ask(request, word)
      #expect(try loop.run(for: .seconds(30)) { answers.last?["request"] == request })
    }
    #expect(answers.map(\.verb) == ["send-failed", "send-failed"])
    #expect(answers.allSatisfy { $0["message"]?.hasPrefix(NodeMachine.notHeld) == true })
    guard case .taskBegan(let first) = tasks.first, case .taskBegan(let second) = tasks.dropFirst(2).first
    else {
      Issue.record("\(tasks)")
      return
    }
    #expect(tasks == [.taskBegan(first), .taskEnded(first), .taskBegan(second), .taskEnded(second)])
  }

  @Test("An invoice that has expired is refused at once, and no task begins") func expired() throws {
    ask("1", try invoice(madeAt: now - 7200, for: 3600))
    #expect(answers.map { $0["message"] } == ["the invoice has expired; ask for a new one"])
    #expect(tasks.isEmpty)
  }
}
