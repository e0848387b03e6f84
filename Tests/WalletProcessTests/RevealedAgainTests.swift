import Crypto
import DaemonRuntime
import Guardrails
import Lightning
import SharedContainer
import Testing

@testable import WalletProcess

/// A wallet that was killed when it had accepted a payment, and before the peer heard of it.
@Suite("A payment that is accepted and whose preimage was not sent")
final class RevealedAgainTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let container: SharedContainer
  private let secrets: WalletSecrets

  init() throws {
    scratch = try ScratchContainer()
    loop = try EventLoop()
    container = try scratch.open()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
  }

  @Test("The next owner of the node sends it, although the invoice is not open any more") func nextOwner()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice), loop: loop)
    let (claim, state) = try scratch.claim(container, seen: 1)
    #expect(state.invoices == [])
    #expect(state.channel?.htlcs.map(\.state) == [.sentRemoveCommit])
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    let node = NodeShell(
      container: container, secrets: secrets, loop: loop, clock: scratch.clock, journal: journal,
      peer: peer.address)
    node.start(claim, state)
    let isOver = { peer.channel.htlcs.isEmpty && peer.channel.remoteMsat == 1000 }
    #expect(try loop.run(for: .seconds(30), until: isOver))
    #expect(try scratch.state(container).channel?.localMsat == 1000)
    node.stop(gracefully: false)
  }

  /// Makes durable all that the killed owner had. Gives the channel as its peer has it.
  private func accept(_ invoice: Invoice) throws -> Channel {
    let (claim, _) = try scratch.claim(container)
    try scratch.write(NodeChange(newInvoice: invoice), claim, container)
    var peer = try Channel(id: SHA256.hash([2]), localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: SHA256.hash([2]), localMsat: 0, remoteMsat: 5000, isOpener: false)
    let hello = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(hello)
    let id = try peer.offer(amountMsat: 1000, paymentHash: invoice.paymentHash, cltvExpiry: 700)
    while wallet.committedHTLCs.isEmpty {
      for case .message(let message) in peer.takeOutgoing() { _ = try wallet.receive(message) }
      for case .message(let message) in wallet.takeOutgoing() { _ = try peer.receive(message) }
    }
    try wallet.fulfill(id)
    #expect(!wallet.takeOutgoing().isEmpty)
    try scratch.write(
      NodeChange(channel: wallet, received: [Receipt(invoice: invoice, amountMsat: 1000)]), claim, container)
    return peer
  }
}
