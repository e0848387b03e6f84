import Ground
import Crypto
import DaemonRuntime
import Glibc

/// Accepts connections. Until its handshake is done, only the doorkeeper handles a connection: it adds nothing to
/// the ledger, and a crowd of them keeps no wallet out.
public final class PeerListener {
  /// The doorkeeper's connections are those whose handshake is not done; they use a quarter of the usual 1,024
  /// descriptors. After an act one for our node id, as a wallet sends, a connection is closed only if all others have
  /// sent one too.
  public static let standardLimits: Doorkeeper.Limits = {
    var limits = Doorkeeper.Limits()
    limits.connectionsMax = 256
    return limits
  }()

  public let address: HostAndPort
  private let key: PrivateKey
  private let loop: EventLoop
  private let accepted: (PeerConnection) -> Void
  private let admission: AcceptLoop
  private var gate: HandshakeGate
  private let firstMessageWithin: TimeSpan
  /// Connections whose handshake is not done.
  private var unproven: [UInt64: PeerConnection] = [:]
  private var nextID: UInt64 = 1

  /// Port 0 takes any free one, which `address` has then. A connection is handed over when its other end has proven
  /// its node id: both sides send `init` then.
  public init(
    _ wanted: HostAndPort, as key: PrivateKey, loop: EventLoop,
    limits: Doorkeeper.Limits = PeerListener.standardLimits,
    handshakes: HandshakeGate.Limits = HandshakeGate.Limits(), accepted: @escaping (PeerConnection) -> Void
  ) throws(SystemError) {
    self.key = key
    self.loop = loop
    self.accepted = accepted
    gate = HandshakeGate(limits: handshakes)
    firstMessageWithin = limits.firstMessageWithin
    let socket = try TCPSocket.listen(on: wanted)
    address = socket.address
    admission = AcceptLoop(of: socket.descriptor, loop: loop, limits: limits)
    admission.onAccepted = { [unowned self] in admit($0) }
    admission.onTurnedAway = { [unowned self] connections, _ in for id in connections { forget(id) } }
    try admission.start()
  }

  deinit {
    admission.stop()
    for connection in unproven.values { connection.cutOff() }
  }

  private func admit(_ socket: Int32) {
    TCPSocket.sendAtOnce(socket)
    let id = nextID
    nextID += 1
    let connection = PeerConnection(accepted: socket, as: key, loop: loop)
    unproven[id] = connection
    let source = TCPSocket.source(of: socket)
    connection.admitsFirstAct = { [unowned self] in gate.admits($0, from: source, at: loop.now) }
    connection.onConnected = { [unowned self] in
      gate.finished(from: source, at: loop.now)
      handOver(id)
    }
    connection.onRecognised = { [unowned self] in recognised(id) }
    connection.onEnd = { [unowned self] _ in forget(id) }
    admission.arrived(id)
    connection.start()
  }

  /// Connections without act one no longer displace it; its time limit for the next act is the same.
  private func recognised(_ id: UInt64) {
    _ = admission.spoke(id)
    // It does not wait for an answer of ours.
    admission.wasAnswered(id)
    loop.after(firstMessageWithin) { [weak self] in
      if self?.unproven[id] != nil { self?.forget(id) }
    }
  }

  /// Gives the connection to `accepted`.
  private func handOver(_ id: UInt64) {
    guard let connection = unproven.removeValue(forKey: id) else { return }
    admission.left(id)
    connection.admitsFirstAct = nil
    connection.onRecognised = nil
    connection.onConnected = nil
    connection.onEnd = nil
    accepted(connection)
  }

  private func forget(_ id: UInt64) {
    admission.left(id)
    unproven.removeValue(forKey: id)?.cutOff()
  }
}
