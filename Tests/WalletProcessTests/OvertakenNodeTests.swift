import Glibc

@testable import WalletProcess

/// A node that another owner takes over, or that loses its container, while it connects.
@Suite("A node that is taken over") final class OvertakenNodeTests {
  private let scratch: ScratchContainer
  private let loop: EventLoop
  private let app: SharedContainer
  private let other: SharedContainer
  private let peer: TestPeer
  private let wallet: TestWallet<AppMachine>
  /// The claim of an earlier process, which has stored the channel.
  private let earlier: Claim

  init() throws {
    scratch = ScratchContainer()
    loop = try EventLoop()
    app = try scratch.open()
    other = try scratch.open(role: .extension)
    let channel = try Channel(id: SHA256.hash([2]), localMsat: 0, remoteMsat: 5000, isOpener: false)
    peer = try TestPeer(
      try Channel(id: SHA256.hash([2]), localMsat: 5000, remoteMsat: 0, isOpener: true), loop: loop)
    wallet = try TestWallet(
      scratch, app, try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true), loop: loop,
      peer: peer.address)
    earlier = try scratch.claim(app).0
    try scratch.write(NodeChange(channel: channel), earlier, app)
  }

  deinit { wallet.die() }

  private func start() {
    app.releaseRoleLock()
    wallet.open()
  }

  @Test func `A node taken over before its dial is fenced and does not dial`() throws {
    var isOvertaken = false
    wallet.willCarryOut = { [unowned self] in
      guard $0 == .container(.checkRow), !isOvertaken else { return }
      isOvertaken = true
      do { _ = try scratch.claim(other, seen: 2) } catch { Issue.record(error) }
    }
    start()
    #expect(
      try loop.run(for: .seconds(60)) { wallet.status == .waitingForExtension || !peer.received.isEmpty })
    expect(wallet.reports, is: [.connecting, .fenced, .stopped])
    #expect(peer.received.isEmpty)
  }

  @Test func `A node taken over during its dial is fenced before channel_reestablish`() throws {
    peer.onInit = { [unowned self] in _ = try scratch.claim(other, seen: 2) }
    start()
    let isOver = { [unowned self] in
      wallet.reports.contains(.fenced) || peer.received.contains { $0.type == 136 }
    }
    #expect(try loop.run(for: .seconds(60), until: isOver))
    expect(wallet.reports, is: [.connecting, .fenced, .stopped])
    expect(peer.received.map(\.type), is: [16])
  }

  @Test func `A node that is not taken over connects`() throws {
    start()
    #expect(try loop.run(for: .seconds(60)) { wallet.status == .connected(2) })
    expect(wallet.reports, is: [.connecting, .established])
    #expect(peer.received.contains { $0.type == 136 })
  }

  @Test func `A request whose write finds the container lost is refused, and the process ends`() throws {
    start()
    #expect(try loop.run(for: .seconds(60)) { peer.received.contains { $0.type == 136 } })
    unlink(app.layout.databaseLog)
    wallet.ask("1", .invoice(amountMsat: 1000, text: "", expirySeconds: 60))
    #expect(try loop.run(for: .seconds(60)) { wallet.ended != nil })
    let loss = ContainerError.logReplaced(path: app.layout.databaseLog)
    #expect(wallet.container.loss == loss && wallet.ended == .containerLost)
    expect(wallet.answers["1"], is: .refused(.invoice, "\(loss)"))
  }

  @Test func `A payment of an invoice that the container has as paid is refused without a connection`() throws
  {
    var payment = OutgoingPayment(
      paymentHash: SHA256.hash([5]), amountMsat: 1000, paymentSecret: SHA256.hash([6]), htlc: 0)
    let end = PaymentChange.Ended(payment: payment, end: .paid(preimage: SHA256.hash([4])))
    try scratch.write(NodeChange(payments: PaymentChange(offered: [payment])), earlier, app)
    try scratch.write(NodeChange(payments: PaymentChange(ended: [end])), earlier, app)
    start()
    payment.htlc = nil
    wallet.ask("1", .payment(payment))
    // Without a connection only the container can have refused it.
    expect(
      wallet.answers, is: ["1": .refused(.payment, "this invoice is paid already; ask for a new one")])
    #expect(peer.received.isEmpty)
  }
}
