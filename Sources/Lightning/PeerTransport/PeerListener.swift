import CLinux
import Ground
import Crypto
import DaemonRuntime
import Glibc

/// Accepts connections. Until its handshake is done, only the doorkeeper handles a connection: it adds nothing to
/// the ledger, and a crowd of them keeps no wallet out.
public final class PeerListener {
  /// The doorkeeper's silent connections are those before act one; they use a quarter of the usual 1,024 descriptors.
  /// After an act one for our node id, as a wallet sends, a connection is closed only for others that have sent one
  /// too.
  public static let standardLimits: Doorkeeper.Limits = {
    var limits = Doorkeeper.Limits()
    limits.silentMax = 256
    return limits
  }()

  private static let pauseWithoutDescriptors = TimeSpan.milliseconds(100)
  /// Few at a time, so that open connections are served before new ones are accepted.
  private static let acceptedPerTurn = 16

  public let address: HostAndPort
  private let key: PrivateKey
  private let descriptor: Int32
  private let loop: EventLoop
  private let accepted: (PeerConnection) -> Void
  private var door: Doorkeeper
  private var gate: HandshakeGate
  private let firstMessageWithin: TimeSpan
  /// Connections whose handshake is not done.
  private var unproven: [UInt64: PeerConnection] = [:]
  private var nextID: UInt64 = 1
  private var doorTimer: LoopTimer?

  /// Port 0 takes any free one, which `address` has then. A connection is handed over when its other end has proven
  /// its node id: both sides send `init` then.
  public init(
    _ wanted: HostAndPort, as key: PrivateKey, loop: EventLoop,
    limits: Doorkeeper.Limits = PeerListener.standardLimits,
    handshakes: HandshakeGate.Limits = HandshakeGate.Limits(),
    accepted: @escaping (PeerConnection) -> Void
  ) throws(SystemError) {
    self.key = key
    self.loop = loop
    self.accepted = accepted
    door = Doorkeeper(limits: limits)
    gate = HandshakeGate(limits: handshakes)
    firstMessageWithin = limits.firstMessageWithin
    descriptor = try PeerSocket.make()
    do throws(SystemError) {
      address = try PeerSocket.listen(descriptor, on: wanted)
    } catch {
      close(descriptor)
      throw error
    }
    // From here on the value is complete: a throw runs `deinit`, which closes the socket.
    try watch()
  }

  deinit {
    loop.unwatch(descriptor)
    close(descriptor)
    doorTimer?.cancel()
    for connection in unproven.values { connection.cutOff() }
  }

  private func watch() throws(SystemError) {
    try loop.watch(descriptor, .readable) { [unowned self] _ in acceptAll() }
  }

  /// Without free descriptors the connection stays in the queue and the socket readable: the loop would spin.
  private func pause() {
    loop.unwatch(descriptor)
    loop.after(Self.pauseWithoutDescriptors) { [weak self] in try? self?.watch() }
  }

  private func acceptAll() {
    for _ in 0..<Self.acceptedPerTurn {
      let socket = baton_accept(descriptor)
      if socket >= 0 {
        admit(socket)
        continue
      }
      let isOutOfDescriptors = errno == EMFILE || errno == ENFILE
      if errno == EINTR || errno == ECONNABORTED { continue }
      if isOutOfDescriptors, let oldest = door.sendAwayLongestSilent() {
        forget(oldest)
        continue
      }
      if errno != EAGAIN { pause() }
      return
    }
  }

  private func admit(_ socket: Int32) {
    PeerSocket.sendAtOnce(socket)
    let id = nextID
    nextID += 1
    let connection = PeerConnection(accepted: socket, as: key, loop: loop)
    unproven[id] = connection
    let source = PeerSocket.source(of: socket)
    connection.admitsFirstAct = { [unowned self] in gate.admits($0, from: source, at: loop.now) }
    connection.onConnected = { [unowned self] in
      gate.finished(from: source, at: loop.now)
      handOver(id)
    }
    connection.onRecognised = { [unowned self] in recognised(id) }
    connection.onEnd = { [unowned self] _ in forget(id) }
    let tooMany = door.arrived(id, at: loop.now)
    if let tooMany { forget(tooMany) }
    armDoorTimer()
    connection.start()
  }

  /// Connections without act one no longer displace it; its time limit for the next act is the same.
  private func recognised(_ id: UInt64) {
    if case .staysInPlaceOf(let other) = door.spoke(id, at: loop.now) { forget(other) }
    // It does not wait for an answer of ours.
    door.wasAnswered(id)
    armDoorTimer()
    loop.after(firstMessageWithin) { [weak self] in
      if self?.unproven[id] != nil { self?.forget(id) }
    }
  }

  /// Gives the connection to `accepted`.
  private func handOver(_ id: UInt64) {
    guard let connection = unproven.removeValue(forKey: id) else { return }
    door.left(id)
    armDoorTimer()
    connection.admitsFirstAct = nil
    connection.onRecognised = nil
    connection.onConnected = nil
    connection.onEnd = nil
    accepted(connection)
  }

  private func forget(_ id: UInt64) {
    door.left(id)
    unproven.removeValue(forKey: id)?.cutOff()
    armDoorTimer()
  }

  private func armDoorTimer() {
    guard doorTimer?.isPending != true || doorTimer?.instant != door.deadline else { return }
    doorTimer?.cancel()
    doorTimer = door.deadline.map { deadline in
      loop.at(deadline) { [weak self] in self?.sendAwayOverdue() }
    }
  }

  private func sendAwayOverdue() {
    for overdue in door.sendAwayOverdue(at: loop.now) { forget(overdue) }
    armDoorTimer()
  }
}
