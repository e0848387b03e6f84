import LightningIO

/// A wallet over a real socket: one channel, no container. It fulfils each committed HTLC while `isFulfilling`.
final class ScriptedWallet {
  var channel: Channel?
  var isFulfilling = true
  var answersPings = false
  private(set) var received: [Message] = []
  private(set) var isClosed = false
  private let loop: EventLoop
  private var connection: PeerConnection?
  /// After this many messages `onStop` is called: before the last one is answered, or right behind its answer.
  var stopsAfter: Int?
  var stopsBeforeAnswering = true
  var onStop: (() -> Void)?

  /// The same node each time, unless a key is given.
  private let key: PrivateKey

  init(loop: EventLoop, key: PrivateKey? = nil) {
    self.loop = loop
    self.key = key ?? PrivateKey(SHA256.hash(Array("a wallet".utf8)))!
  }

  deinit { connection?.cutOff() }

  func connect(to address: PeerAddress, _ fence: Claim?) throws {
    connection?.cutOff()
    channel?.disconnected()
    received = []
    isClosed = false
    let connection = try PeerConnection.dial(address, as: key, loop: loop)
    self.connection = connection
    connection.onConnected = { [unowned self] in send(.initMessage(InitMessage(fence: fence))) }
    connection.onMessage = { [unowned self] in take($0) }
    connection.onEnd = { [unowned self] _ in isClosed = true }
    connection.start()
  }

  func hangUp() { connection?.hangUp() }

  func send(_ message: Message) { connection?.send(message.encoded()) }

  func send(raw bytes: [UInt8]) { connection?.send(bytes) }

  var fenceAnswer: FenceAnswer? {
    for case .fenceAnswer(let answer) in received { return answer }
    return nil
  }

  private func take(_ bytes: [UInt8]) {
    guard !isClosed, let message = try? Message(decoding: bytes) else { return }
    received.append(message)
    let stops = received.count == stopsAfter
    if stops, stopsBeforeAnswering { onStop?() }
    answer(message)
    if stops, !stopsBeforeAnswering { onStop?() }
    if stops { stopsAfter = nil }
  }

  private func answer(_ message: Message) {
    if answersPings, case .ping(let ping) = message, let pong = ping.answer { send(pong) }
    if case .channelReestablish(let theirs) = message, channel == nil {
      let terms = ChannelTerms.standard
      channel = try? Channel(
        id: theirs.channel, localMsat: terms.walletMsat, remoteMsat: terms.providerMsat, isOpener: false)
    }
    guard var channel else { return }
    if case .channelReestablish = message { send(channel.reestablish()) }
    guard (try? channel.receive(message)) != nil else { return }
    self.channel = channel
    advance()
  }

  /// Fulfils committed HTLCs and sends the outgoing messages.
  func advance() {
    guard var channel else { return }
    if isFulfilling {
      for htlc in channel.committedHTLCs { try? channel.fulfill(htlc.id) }
    }
    let outgoing = channel.takeOutgoing()
    self.channel = channel
    for part in outgoing {
      switch part {
      case .message(let message): send(message)
      case .fulfill(let id, let hash):
        let known = (UInt64(0)..<100).map(preimage).first { SHA256.hash($0.bytes) == hash }
        send(channel.fulfilMessage(id, preimage: known ?? .zero))
      }
    }
  }
}

func fence(_ epoch: UInt64, incarnation: UInt64 = 1) -> Claim {
  Claim(epoch: epoch, incarnation: incarnation, container: ContainerID(high: 7, low: 7))
}

extension ProviderProcess {
  /// A wallet whose channel is re-established.
  func connectedWallet(epoch: UInt64) throws -> ScriptedWallet {
    let wallet = ScriptedWallet(loop: loop)
    try wallet.connect(to: try #require(address), fence(epoch))
    #expect(try eventually { wallet.channel?.isReestablished == true })
    return wallet
  }
}
