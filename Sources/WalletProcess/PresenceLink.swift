import Ground
import DaemonRuntime
import Guardrails

/// Carries presence messages between the two processes, as XPC would. It may lose them: their content is also state in
/// the container that is read again.
final class PresenceLink {
  private let loop: EventLoop
  private let directory: String
  private let role: Role
  private var listener: UnixListener?
  private var outgoing: UnixConnection?

  var onMessage: ((PresenceMessage) -> Void)?
  /// The other process's socket closed.
  var onPartnerEnded: (() -> Void)?

  /// Called once per process, when presence messages arrive faster than they are handled.
  var onFlood: (() -> Void)?
  private var pace = PresencePace()
  private var paceTimer: LoopTimer?

  private static let verb = "presence"

  init(directory: String, role: Role, loop: EventLoop) {
    self.directory = directory
    self.role = role
    self.loop = loop
  }

  private func path(of role: Role) -> String { "\(directory)/\(role.rawValue).sock" }

  /// Throws if the socket cannot be bound; the process can continue without messages, only slower.
  func listen() throws(UnixListenerError) {
    var limits = UnixListener.Limits()
    // Answers go over the process's own connection, never over the one that a message came on.
    limits.door.openRequests = .max
    // For the one other process, and a few tools that listen to both. This limits the extension's memory.
    limits.door.connectionsMax = 32
    listener = try UnixListener(path: path(of: role), loop: loop, limits: limits) {
      [unowned self] connection in
      connection.onMessage = { [unowned self] in received($0) }
      connection.onEnd = { [unowned self] _ in take(.ended) }
    }
  }

  func say(_ message: PresenceMessage) {
    let packet = ControlMessage(Self.verb, body: message.encoded())
    if outgoing?.send(packet) == true { return }
    outgoing = connect()
    outgoing?.send(packet)
  }

  /// nil when the other process is not running, which is no error.
  private func connect() -> UnixConnection? {
    guard let connection = UnixConnection.connect(path: path(of: role.other), loop: loop) else { return nil }
    connection.onEnd = { [unowned self, unowned connection] _ in
      if outgoing === connection { outgoing = nil }
      take(.ended)
    }
    connection.start()
    return connection
  }

  private func received(_ packet: ControlMessage) {
    guard packet.verb == Self.verb, let message = PresenceMessage(decoding: packet.body) else { return }
    take(.heard(message))
  }

  private func take(_ event: PresencePace.Event) {
    if pace.arrived(event, at: loop.now) { return tell(event) }
    if pace.skipped > 0 {
      onFlood?()
      onFlood = nil
    }
    armPace()
  }

  private func tell(_ event: PresencePace.Event) {
    switch event {
    case .heard(let message): onMessage?(message)
    case .ended: onPartnerEnded?()
    }
  }

  private func armPace() {
    guard paceTimer?.isPending != true, let deadline = pace.deadline else { return }
    paceTimer = loop.at(deadline) { [weak self] in
      guard let self else { return }
      if let event = pace.due(at: loop.now) { tell(event) }
      armPace()
    }
  }

  func shutDown() {
    onMessage = nil
    onPartnerEnded = nil
    onFlood = nil
    paceTimer?.cancel()
    listener?.shutDown()
    outgoing?.close()
  }
}
