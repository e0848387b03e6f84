import Crypto

@testable import Lightning
@testable import LightningIO

/// A hostile Lightning peer: it accepts connections on a test's loop and behaves as configured.
final class HostilePeer {
  enum Behaviour: String, CaseIterable {
    case saysNothing
    case sendsGarbage
    case sendsHalfAMessage
    case sendsZeros
    case sendsInitTwice
    case pingsWithoutEnd
    case reportsAnError
    case refusesWithAnEpochOutOfReach
    case refusesWithTheLargestEpoch
    case refusesForAnotherDevice
    case knowsMoreThanTheWallet
    case neverHangsUp
    case breaksOffAtOnce
  }

  private(set) var connections = 0
  private let behaviour: Behaviour
  private let loop: EventLoop
  private var listener: PeerListener!
  private var open: [PeerConnection] = []
  private var channel: Channel
  private let key: PrivateKey

  init(_ behaviour: Behaviour, loop: EventLoop) throws {
    self.behaviour = behaviour
    self.loop = loop
    let terms = ChannelTerms.standard
    guard let id = Bytes32([UInt8](repeating: 5, count: 32)), let anywhere = HostAndPort("127.0.0.1:0"),
      let key = PrivateKey(id)
    else { throw SystemError("make a peer", code: EINVAL) }
    self.key = key
    channel = try Channel(id: id, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    listener = try PeerListener(anywhere, as: key, loop: loop) { [unowned self] in welcome($0) }
  }

  deinit { for connection in open { connection.cutOff() } }

  var address: String { PeerAddress(node: key.publicKey, place: listener.address).description }

  private func welcome(_ connection: PeerConnection) {
    connections += 1
    open.append(connection)
    var isInitReceived = false
    connection.onMessage = { [unowned self, unowned connection] bytes in
      guard !isInitReceived, case .initMessage(let initMessage)? = try? Message(decoding: bytes) else {
        return
      }
      isInitReceived = true
      answer(initMessage.fence, on: connection)
    }
  }

  private func answer(_ fence: Claim?, on connection: PeerConnection) {
    let own = fence ?? Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 0, low: 0))
    switch behaviour {
    case .saysNothing: break
    case .sendsGarbage: connection.send([0xff, 0xfe, 1, 2, 3])
    case .sendsHalfAMessage: Glibc.send(connection.descriptor, [0xff, 0xff, 0] as [UInt8], 3, 0)
    case .sendsZeros: connection.send([UInt8](repeating: 0, count: 65_535))
    case .sendsInitTwice: for _ in 0..<2 { connection.send(Message.initMessage(InitMessage()).encoded()) }
    case .pingsWithoutEnd:
      sendInit(on: connection, own)
      let ping = Message.ping(Ping(pongSize: 65_531)).encoded()
      for _ in 0..<100_000 { connection.send(ping) }
    case .reportsAnError: connection.send(Message.error(ErrorOrWarning(text: "no\u{1b}[2J")).encoded())
    case .refusesWithAnEpochOutOfReach: refuse(on: connection, highest: own.epoch + (1 << 33), own)
    case .refusesWithTheLargestEpoch: refuse(on: connection, highest: .max, own)
    case .refusesForAnotherDevice:
      refuse(
        on: connection, highest: 7,
        Claim(epoch: 7, incarnation: 7, container: ContainerID(high: .max, low: .max)))
    case .knowsMoreThanTheWallet:
      sendInit(on: connection, own, reestablishing: false)
      connection.send(Message.peerStorageRetrieval(Blob([UInt8](repeating: 1, count: 65_529))).encoded())
      connection.send(
        Message.channelReestablish(
          ChannelReestablish(
            channel: channel.id, nextCommitmentNumber: 1 << 47, nextRevocationNumber: 1 << 47,
            yourLastPerCommitmentSecret: .zero)
        ).encoded())
    case .neverHangsUp:
      sendInit(on: connection, own)
      connection.send(Message.pong([]).encoded())
      // From here on the peer neither reads nor closes.
      loop.unwatch(connection.descriptor)
    case .breaksOffAtOnce:
      sendInit(on: connection, own)
      connection.hangUp()
    }
  }

  private func sendInit(on connection: PeerConnection, _ fence: Claim, reestablishing: Bool = true) {
    let answer = FenceAnswer(accepted: true, highest: fence.epoch, container: fence.container)
    connection.send(Message.initMessage(InitMessage()).encoded())
    connection.send(Message.fenceAnswer(answer).encoded())
    channel.disconnected()
    if reestablishing { connection.send(channel.reestablish().encoded()) }
  }

  private func refuse(on connection: PeerConnection, highest: UInt64, _ fence: Claim) {
    let answer = FenceAnswer(accepted: false, highest: highest, container: fence.container)
    connection.send(Message.initMessage(InitMessage()).encoded())
    connection.send(Message.fenceAnswer(answer).encoded())
  }
}
