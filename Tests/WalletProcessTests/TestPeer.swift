import LightningIO

/// A Lightning peer with one channel, on the loop of a test.
final class TestPeer {
  var channel: Channel
  /// The messages received on all connections.
  var received: [Message] = []
  /// Called before the `init` is answered.
  var onInit: (() throws -> Void)?
  /// Called after each message.
  var onMessage: ((Message) throws -> Void)?
  /// The wallet's stored backup.
  var backup: Blob?
  private let key: PrivateKey
  private var listener: PeerListener!
  private var connection: PeerConnection?

  init(_ channel: Channel, loop: EventLoop) throws {
    self.channel = channel
    key = try #require(PrivateKey(SHA256.hash([1])))
    listener = try PeerListener(try #require(HostAndPort("127.0.0.1:0")), as: key, loop: loop) {
      [unowned self] in welcome($0)
    }
  }

  deinit { connection?.cutOff() }

  var address: PeerAddress { PeerAddress(node: key.publicKey, place: listener.address) }

  func send(_ message: Message) { connection?.send(message.encoded()) }

  func cutOff() {
    connection?.cutOff()
    connection = nil
  }

  private func welcome(_ connection: PeerConnection) {
    self.connection = connection
    connection.onMessage = { [unowned self] bytes in
      do { try receive(try Message(decoding: bytes)) } catch { Issue.record(error) }
    }
  }

  private func receive(_ message: Message) throws {
    received.append(message)
    if case .initMessage(let initMessage) = message { try answerInit(try #require(initMessage.fence)) }
    if case .peerStorage(let blob) = message { backup = blob }
    if case .ping(let ping) = message { send(.pong(Bytes([UInt8](repeating: 0, count: Int(ping.pongSize))))) }
    // The channel refuses a wrong preimage.
    _ = try channel.receive(message)
    for case .message(let answer) in channel.takeOutgoing() { send(answer) }
    try onMessage?(message)
  }

  private func answerInit(_ fence: Claim) throws {
    try onInit?()
    let answer = FenceAnswer(accepted: true, highest: fence.epoch, container: fence.container)
    send(.initMessage(InitMessage()))
    send(.fenceAnswer(answer))
    if let backup { send(.peerStorageRetrieval(backup)) }
    channel.disconnected()
    send(channel.reestablish())
  }
}
