import Crypto
import DaemonRuntime
import Ground
import LightningChannel
import LightningWire
import PeerTransport

/// The wallet's end of one channel, without a container: it takes every payment.
final class BenchWallet {
  let number: Int
  let node: PublicKey
  private let fleet: Fleet
  private var channel: Channel?
  private var connection: PeerConnection?
  private var epoch: UInt64 = 0

  init(_ number: Int, of fleet: Fleet) throws {
    self.number = number
    self.fleet = fleet
    node = try Self.key(number).publicKey
  }

  /// Made again for each connection: a secret has four mappings of memory, of which a process may have 65,530.
  private static func key(_ number: Int) throws -> PrivateKey {
    guard let key = PrivateKey(SHA256.hash(Array("bench wallet \(number)".utf8))) else {
      throw BenchError("a hash is no private key")
    }
    return key
  }

  func connect() throws {
    epoch += 1
    let claim = Claim(
      epoch: epoch, incarnation: 1, container: ContainerID(high: UInt64(number), low: UInt64(number)))
    channel?.disconnected()
    let connection = try PeerConnection.dial(fleet.address, as: Self.key(number), loop: fleet.loop)
    self.connection = connection
    connection.onConnected = { [unowned self] in send(.initMessage(InitMessage(fence: claim))) }
    connection.onMessage = { [unowned self] in take($0) }
    connection.onEnd = { [unowned self] _ in ended() }
    connection.start()
  }

  func hangUp() { connection?.hangUp() }

  private func ended() {
    connection = nil
    fleet.left(self)
  }

  private func send(_ message: Message) { connection?.send(message.encoded()) }

  private func take(_ bytes: [UInt8]) {
    guard let message = try? Message(decoding: bytes) else { return fleet.failed("lspd sent no message") }
    if case .warning(let warning) = message { return fleet.failed(warning.text) }
    if case .channelReestablish(let theirs) = message {
      let terms = ChannelTerms.standard
      channel =
        channel
        ?? (try? Channel(
          id: theirs.channel, localMsat: terms.walletMsat, remoteMsat: terms.providerMsat, isOpener: false))
      if let ours = channel?.reestablish() { send(ours) }
    }
    guard var channel else { return }
    guard (try? channel.receive(message)) != nil else { return }
    let isNew = if case .channelReestablish = message { true } else { false }
    let before = channel.htlcs.count
    for htlc in channel.committedHTLCs where (try? channel.fulfill(htlc.id)) != nil { fleet.fulfilled += 1 }
    let outgoing = channel.takeOutgoing()
    self.channel = channel
    for part in outgoing {
      switch part {
      case .message(let message): send(message)
      case .fulfill(let id, let hash):
        send(channel.fulfilMessage(id, preimage: fleet.preimages[hash] ?? .zero))
      }
    }
    if isNew { fleet.came(self) }
    if channel.htlcs.isEmpty, before > 0 { fleet.settled(self) }
  }
}

struct BenchError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
