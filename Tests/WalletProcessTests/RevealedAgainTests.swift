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

  private func node(_ peer: TestPeer, in container: SharedContainer? = nil) throws -> NodeShell {
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    return NodeShell(
      container: container ?? self.container, secrets: secrets, loop: loop, clock: scratch.clock,
      journal: journal,
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
    #expect(state.invoices == [] && state.accepted.map(\.paymentHash) == [invoice.paymentHash])
    #expect(state.channel?.htlcs.map(\.state) == [.sentRemoveCommit])
    let node = try node(peer)
    node.start(claim, state)
    let isOver = { peer.channel.htlcs.isEmpty && peer.channel.remoteMsat == 1000 }
    #expect(try loop.run(for: .seconds(30), until: isOver))
    #expect(try scratch.state(container).channel?.localMsat == 1000)
    node.stop(gracefully: false)
  }

  @Test("A container that is new has the invoice from the peer's backup: the money comes, and counts once")
  func newContainer() throws {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice), loop: loop)
    let (claim, state) = try scratch.claim(container, seen: 1)
    let node = try node(peer)
    peer.onMessage = { if case .peerStorage = $0 { peer.cutOff() } }
    node.start(claim, state)
    #expect(try loop.run(for: .seconds(30)) { peer.backup != nil })
    node.stop(gracefully: false)
    peer.onMessage = nil
    peer.heard.removeAll()

    let moved = try scratch.open(named: "moved")
    let (nextClaim, nothing) = try scratch.claim(moved)
    #expect(nothing.channel == nil)
    let next = try self.node(peer, in: moved)
    var reports: [NodeReport] = []
    next.onReport = { reports.append($0) }
    next.start(nextClaim, nothing)
    let isOver = { peer.channel.htlcs.isEmpty && peer.channel.remoteMsat == 1000 }
    #expect(try loop.run(for: .seconds(30), until: isOver))
    #expect(try scratch.state(moved).channel?.localMsat == 1000)
    #expect(try received(in: moved) == ["1000 tea"])
    // Whoever accepted it has told of it.
    #expect(!reports.contains { if case .received = $0 { true } else { false } })
    // With the end of its HTLC the invoice is in no backup any more, and it is not open either.
    #expect(try loop.run(for: .seconds(30)) { peer.heard.count { $0.type == 7 } >= 2 })
    guard case .backup(let last) = secrets.open(try #require(peer.backup).array) else {
      Issue.record("no backup")
      return
    }
    #expect(last.channel.htlcs == [] && last.invoices == [])
    let stored = try scratch.state(moved)
    #expect(stored.invoices == [] && stored.accepted == [])
    next.stop(gracefully: false)
  }

  private func received(in container: SharedContainer) throws -> [String] {
    try scratch.read(container) { reader in
      try reader.rows(
        "SELECT r.amount_msat, i.text FROM received_payments r JOIN invoices i USING (payment_hash)"
      ).map { "\(try $0.integer(0)) \(try $0.text(1))" }
    }
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
