import Crypto
import DaemonRuntime
import Guardrails
import Lightning
import PeerTransport
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
  private let peerKey: PrivateKey
  private var peer: Channel
  private var wallet: Channel
  private var connection: PeerConnection?

  init() throws {
    scratch = try ScratchContainer()
    loop = try EventLoop()
    container = try scratch.open()
    secrets = try WalletSecrets(keychain: scratch.path("k"), walletIsNew: true)
    peerKey = try #require(PrivateKey(SHA256.hash([1])))
    peer = try Channel(id: SHA256.hash([2]), localMsat: 5000, remoteMsat: 0, isOpener: true)
    wallet = try Channel(id: SHA256.hash([2]), localMsat: 0, remoteMsat: 5000, isOpener: false)
  }

  deinit { connection?.cutOff() }

  @Test("The next owner of the node sends it, although the invoice is not open any more") func nextOwner()
    throws
  {
    let invoice = secrets.makeInvoice(amountMsat: 1000, text: "tea", expiresAt: .max)
    try accept(invoice)
    let (claim, state) = try scratch.claim(container, seen: 1)
    #expect(state.invoices == [])
    #expect(state.channel?.htlcs.map(\.state) == [.sentRemoveCommit])
    let anywhere = try #require(HostAndPort("127.0.0.1:0"))
    let listener = try PeerListener(anywhere, as: peerKey, loop: loop) { [unowned self] in welcome($0) }
    let journal = try Journal(
      directory: scratch.path("j"), name: "test", clock: scratch.clock, version: "0", arguments: [])
    let node = NodeShell(
      container: container, secrets: secrets, loop: loop, clock: scratch.clock, journal: journal,
      peer: PeerAddress(node: peerKey.publicKey, place: listener.address))
    node.start(claim, state)
    #expect(try loop.run(for: .seconds(30)) { peer.htlcs.isEmpty && peer.remoteMsat == 1000 })
    #expect(try scratch.state(container).channel?.localMsat == 1000)
    node.stop(gracefully: false)
    withExtendedLifetime(listener) {}
  }

  /// All that the killed owner has made durable.
  private func accept(_ invoice: Invoice) throws {
    let (claim, _) = try scratch.claim(container)
    try scratch.write(NodeChange(newInvoice: invoice), claim, container)
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
  }

  private func welcome(_ connection: PeerConnection) {
    self.connection = connection
    connection.onMessage = { [unowned self] bytes in
      do { try heard(try Message(decoding: bytes)) } catch { Issue.record(error) }
    }
  }

  private func heard(_ message: Message) throws {
    if case .greeting(let greeting) = message {
      let fence = try #require(greeting.fence)
      let answer = FenceAnswer(
        accepted: true, highest: fence.epoch, containerHigh: fence.containerHigh,
        containerLow: fence.containerLow)
      send(.greeting(Greeting(fenceAnswer: answer)))
      peer.disconnected()
      send(peer.reestablish())
    }
    // A preimage that is not the payment's is refused here.
    _ = try peer.receive(message)
    for case .message(let message) in peer.takeOutgoing() { send(message) }
  }

  private func send(_ message: Message) { connection?.send(message.encoded()) }
}
