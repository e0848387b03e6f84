import Ground
import DaemonRuntime
import Lightning
import Wallet
import LightningIO

/// The port to the wire: one connection to the peer at a time. Secrets are added to messages only when they are sent.
final class WalletWire {
  private let secrets: WalletSecrets
  private let loop: EventLoop
  private let journal: Journal
  private let peer: PeerAddress?
  private var connection: PeerConnection?

  var onEvent: ((NodeEvent) -> Void)?
  /// The channel's last durable state.
  var channel: (() -> Channel?)?
  /// The tweak of an invoice in the container.
  var tweak: ((Bytes32) -> Bytes32?)?

  init(secrets: WalletSecrets, loop: EventLoop, journal: Journal, peer: PeerAddress?) {
    self.secrets = secrets
    self.loop = loop
    self.journal = journal
    self.peer = peer
  }

  func carryOut(_ order: WireOrder) {
    switch order {
    case .dial: dial()
    case .send(let messages): for message in messages { send(message) }
    case .hangUp: hangUp()
    case .cutOff: cutOff()
    }
  }

  private func say(_ event: NodeEvent) { onEvent?(event) }

  private func dial() {
    guard let peer else { return say(.closed("no peer is configured: use --peer NODEID@HOST:PORT")) }
    do throws(SystemError) {
      let connection = try PeerConnection.dial(peer, as: secrets.nodeKey, loop: loop)
      self.connection = connection
      connection.onConnected = { [unowned self] in say(.dialled) }
      connection.onMessage = { [unowned self] in received($0) }
      connection.onEnd = { [unowned self] end in
        self.connection = nil
        say(.closed("\(end)"))
      }
      connection.start()
    } catch { say(.closed("\(error)")) }
  }

  private func received(_ bytes: [UInt8]) {
    do throws(WireError) {
      switch try HeardMessage(bytes).message {
      // Decrypted here, with a key from the seed: the node only sees the state itself.
      case .peerStorageRetrieval(let blob): say(.backupReceived(secrets.open(blob.array)))
      case let message: say(.received(message))
      }
    } catch {
      cutOff()
      say(.closed("the peer sent an invalid message: \(error)"))
    }
  }

  private func send(_ outgoing: NodeOutgoing) {
    switch outgoing {
    case .message(let message), .channel(.message(let message)): send(message)
    case .backup(let backup): send(.peerStorage(Blob(secrets.seal(backup.array))))
    case .channel(.fulfill(let id, let hash)): reveal(hash, of: id)
    }
  }

  /// The only place that reveals a preimage: by now its settlement is durable.
  private func reveal(_ hash: Bytes32, of id: UInt64) {
    guard let channel = channel?(), let tweak = tweak?(hash) else {
      journal.note("the preimage of \(hash) cannot be derived: its invoice is not in the container")
      // The state comes from a backup without accepted invoices. The next commitment_signed assumes that the peer has
      // the preimage: sent alone it would fail the channel.
      cutOff()
      return say(.closed("the preimage of an accepted payment cannot be derived"))
    }
    send(channel.fulfilMessage(id, preimage: secrets.preimage(tweak: tweak)))
  }

  private func send(_ message: Message) { connection?.send(message.encoded()) }

  private func hangUp() {
    guard let connection else { return say(.closed("there was no connection")) }
    connection.hangUp()
  }

  private func cutOff() {
    connection?.cutOff()
    connection = nil
  }
}
