@testable import Wallet

@testable import WalletProcess

/// A wallet killed after it accepted a payment and before it sent the preimage.
@Suite("An accepted payment whose preimage was not sent") final class RevealedAgainTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let container: SharedContainer
  private let secrets: WalletSecrets

  init() throws {
    scratch = ScratchContainer()
    loop = try EventLoop()
    container = try scratch.open()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
  }

  /// A wallet in the foreground.
  private func wallet(_ peer: TestPeer, in container: SharedContainer) throws -> TestWallet<AppMachine> {
    let wallet = try TestWallet<AppMachine>(scratch, container, secrets, loop: loop, peer: peer.address)
    wallet.open()
    return wallet
  }

  @Test func `If the invoice of an accepted payment is lost, the node sends neither preimage nor commitment`()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice, isKept: false), loop: loop)
    let wallet = try wallet(peer, in: container)
    defer { wallet.die() }
    let trouble = NodeReport.trouble("the preimage of an accepted payment cannot be derived")
    #expect(try loop.run(for: .seconds(60)) { wallet.reports.contains { $0.isTrouble } })
    expect(wallet.reports.first { $0.isTrouble }, is: trouble)
    // The second `init` follows all messages of the first connection.
    #expect(try loop.run(for: .seconds(60)) { peer.received.count { $0.type == 16 } == 2 })
    #expect(peer.received.allSatisfy { [7, 16, 18, 136].contains($0.type) }, "\(peer.received.map(\.type))")
  }

  @Test
  func `The next owner sends the preimage of an accepted payment, although its invoice is no longer open`()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice), loop: loop)
    let state = try scratch.state(container)
    #expect(state.invoices == [] && state.accepted.map(\.paymentHash) == [invoice.paymentHash])
    expect(state.channel?.htlcs.map(\.state), is: [.sentRemoveCommit])
    let wallet = try wallet(peer, in: container)
    defer { wallet.die() }
    let isOver = { peer.channel.htlcs.isEmpty && peer.channel.remoteMsat == 1000 }
    #expect(try loop.run(for: .seconds(60), until: isOver))
    expect(try scratch.state(container).channel?.localMsat, is: 1000)
  }

  @Test
  func
    `In a new container an accepted payment's invoice comes from the backup, and the payment is received once`()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    let peer = try TestPeer(try accept(invoice), loop: loop)
    peer.onMessage = { if case .peerStorage = $0 { peer.cutOff() } }
    let wallet = try wallet(peer, in: container)
    #expect(try loop.run(for: .seconds(60)) { peer.backup != nil })
    wallet.handle(.terminationRequested)
    #expect(try loop.run(for: .seconds(60)) { wallet.ended != nil })
    peer.onMessage = nil
    peer.received.removeAll()

    let moved = try scratch.open(named: "moved")
    #expect(try scratch.state(moved).channel == nil)
    let next = try self.wallet(peer, in: moved)
    defer { next.die() }
    let isOver = { peer.channel.htlcs.isEmpty && peer.channel.remoteMsat == 1000 }
    #expect(try loop.run(for: .seconds(60), until: isOver))
    expect(try scratch.state(moved).channel?.localMsat, is: 1000)
    expect(try received(in: moved), is: ["1000 tea"])
    // The owner that accepted the payment has reported it.
    #expect(!next.reports.contains { if case .received = $0 { true } else { false } })
    // After its HTLC's end the invoice is neither in the backup nor open.
    #expect(try loop.run(for: .seconds(60)) { peer.received.count { $0.type == 7 } >= 2 })
    guard case .backup(let last) = secrets.open(try #require(peer.backup).array) else {
      Issue.record("no backup")
      return
    }
    #expect(last.channel.htlcs == [] && last.invoices == [])
    let stored = try scratch.state(moved)
    #expect(stored.invoices == [] && stored.accepted == [])
  }

  private func received(in container: SharedContainer) throws -> [String] {
    try scratch.read(container) { reader in
      try reader.rows(
        "SELECT r.amount_msat, i.text FROM received_payments r JOIN invoices i USING (payment_hash)"
      ).map { "\(try $0.integer(0)) \(try $0.text(1))" }
    }
  }

  /// Stores the killed owner's state. Returns the peer's channel.
  private func accept(_ invoice: Invoice, isKept: Bool = true) throws -> Channel {
    let (claim, _) = try scratch.claim(container)
    if isKept { try scratch.write(NodeChange(newInvoice: invoice), claim, container) }
    var peer = try Channel(id: SHA256.hash([2]), localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: SHA256.hash([2]), localMsat: 0, remoteMsat: 5000, isOpener: false)
    let fromPeer = peer.reestablish()
    _ = try peer.receive(wallet.reestablish())
    _ = try wallet.receive(fromPeer)
    let id = try peer.offer(amountMsat: 1000, paymentHash: invoice.paymentHash, cltvExpiry: 700)
    while wallet.committedHTLCs.isEmpty {
      for case .message(let message) in peer.takeOutgoing() { _ = try wallet.receive(message) }
      for case .message(let message) in wallet.takeOutgoing() { _ = try peer.receive(message) }
    }
    try wallet.fulfill(id)
    #expect(!wallet.takeOutgoing().isEmpty)
    let received = isKept ? [Receipt(invoice: invoice, amountMsat: 1000)] : []
    try scratch.write(NodeChange(channel: wallet, received: received), claim, container)
    container.releaseRoleLock()
    return peer
  }
}

extension NodeReport {
  fileprivate var isTrouble: Bool { if case .trouble = self { true } else { false } }
}
