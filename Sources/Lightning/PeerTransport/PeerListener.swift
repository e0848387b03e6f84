import CLinux
import Ground
import Crypto
import DaemonRuntime
import Glibc

/// Takes connections of wallets. Who has not shaken hands is nobody's business but the doorkeeper's: it costs the ledger
/// nothing, and no crowd of such strangers keeps a wallet out.
public final class PeerListener {
  /// Strangers here may be anybody; they use a quarter of the usual 1,024 descriptors. Who knows our id, as a wallet does
  /// and shows with its dial, is one no more: it is turned out only by a crowd that knows it as well.
  public static let standardLimits: Doorkeeper.Limits = {
    var limits = Doorkeeper.Limits()
    limits.silentMax = 256
    return limits
  }()

  private static let pauseWithoutDescriptors = TimeSpan.milliseconds(100)
  /// Few at a time, so that those inside are heard before the next ones are let in.
  private static let acceptedPerTurn = 16

  public let address: HostAndPort
  private let key: PrivateKey
  private let descriptor: Int32
  private let loop: EventLoop
  private let accepted: (PeerConnection) -> Void
  private var door: Doorkeeper
  private var gate: HandshakeGate
  private let firstMessageWithin: TimeSpan
  private var strangers: [UInt64: PeerConnection] = [:]
  private var nextStranger: UInt64 = 1
  private var doorTimer: LoopTimer?

  /// Port 0 takes any free one; `address` says which. A connection is handed over when its other end has proven who it is:
  /// both sides greet at once then.
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
    for stranger in strangers.values { stranger.cutOff() }
  }

  private func watch() throws(SystemError) {
    try loop.watch(descriptor, .readable) { [unowned self] _ in acceptAll() }
  }

  /// Without descriptors to spare the waiting connection stays where it is, and the socket readable: the loop
  /// would do nothing else any more.
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
      if isOutOfDescriptors, let stranger = door.sendAwayLongestSilent() {
        forget(stranger)
        continue
      }
      if errno != EAGAIN { pause() }
      return
    }
  }

  private func admit(_ socket: Int32) {
    PeerSocket.sendAtOnce(socket)
    let id = nextStranger
    nextStranger += 1
    let connection = PeerConnection(accepted: socket, as: key, loop: loop)
    strangers[id] = connection
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

  /// No crowd of those who know nothing turns it out any more; its time to say something is as long as theirs.
  private func recognised(_ id: UInt64) {
    if case .staysInPlaceOf(let other) = door.spoke(id, at: loop.now) { forget(other) }
    // Nothing of it waits for an answer of ours.
    door.wasAnswered(id)
    armDoorTimer()
    loop.after(firstMessageWithin) { [weak self] in
      if self?.strangers[id] != nil { self?.forget(id) }
    }
  }

  /// From here on it is the acceptor's.
  private func handOver(_ id: UInt64) {
    guard let connection = strangers.removeValue(forKey: id) else { return }
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
    strangers.removeValue(forKey: id)?.cutOff()
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
    for stranger in door.sendAwayOverdue(at: loop.now) { forget(stranger) }
    armDoorTimer()
  }
}
