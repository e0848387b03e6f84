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

  private func node(_ peer: TestPeer) throws -> NodeShell {
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    return NodeShell(
      container: container, secrets: secrets, loop: loop, clock: scratch.clock, journal: journal,
      peer: peer.address)
  }

  @Test("Without its invoice it cannot be sent, and no commitment that lacks it is sent either")
  func lostInvoice()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice, isKept: false), loop: loop)
    let (claim, state) = try scratch.claim(container, seen: 1)
    let node = try node(peer)
    var troubles: [String] = []
    node.onReport = { if case .trouble(let words) = $0 { troubles.append(words) } }
    node.start(claim, state)
    #expect(try loop.run(for: .seconds(30)) { !troubles.isEmpty })
    #expect(troubles == ["the preimage of an accepted payment cannot be derived"])
    // The next greeting comes behind all that was sent before.
    #expect(try loop.run(for: .seconds(30)) { peer.heard.count { $0.type == 16 } == 2 })
    #expect(peer.heard.allSatisfy { [7, 16, 18, 136].contains($0.type) }, "\(peer.heard.map(\.type))")
    node.stop(gracefully: false)
  }

  @Test("The next owner of the node sends it, although the invoice is not open any more") func nextOwner()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice), loop: loop)
    let (claim, state) = try scratch.claim(container, seen: 1)
    #expect(state.invoices == [])
    #expect(state.channel?.htlcs.map(\.state) == [.sentRemoveCommit])
    let node = try node(peer)
    node.start(claim, state)
    let isOver = { peer.channel.htlcs.isEmpty && peer.channel.remoteMsat == 1000 }
    #expect(try loop.run(for: .seconds(30), until: isOver))
    #expect(try scratch.state(container).channel?.localMsat == 1000)
    node.stop(gracefully: false)
  }

  /// Makes durable all that the killed owner had. Gives the channel as its peer has it.
  private func accept(_ invoice: Invoice, isKept: Bool = true) throws -> Channel {
    let (claim, _) = try scratch.claim(container)
    if isKept { try scratch.write(NodeChange(newInvoice: invoice), claim, container) }
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
    let received = isKept ? [Receipt(invoice: invoice, amountMsat: 1000)] : []
    try scratch.write(NodeChange(channel: wallet, received: received), claim, container)
    return peer
  }
}
