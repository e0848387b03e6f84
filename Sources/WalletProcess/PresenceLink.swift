import DaemonRuntime
import Ground
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

/// Limits the presence messages that a process handles: a short burst, then a fixed rate. Two healthy processes send
/// far less. Each handled message is an event of the guard and a journal record, so a flood would fill the disk; of
/// excess messages only the newest counts, as each contains the sender's whole state.
struct PresencePace {
  enum Event: Hashable {
    case heard(PresenceMessage)
    /// A connection of the other process ended.
    case ended
  }

  static let burst = 32
  static let interval = TimeSpan.milliseconds(50)

  private var left = burst
  private var lastRefill: Instant?
  private var newest: PresenceMessage?
  private var hasEnded = false
  /// Messages that were dropped.
  private(set) var skipped: UInt64 = 0

  /// When the next deferred message is due; nil without one.
  var deadline: Instant? {
    guard newest != nil || hasEnded, let lastRefill else { return nil }
    return lastRefill + Self.interval
  }

  /// Returns whether the message is handled now; otherwise it is deferred.
  mutating func arrived(_ event: Event, at now: Instant) -> Bool {
    refill(at: now)
    if left > 0 && deadline == nil {
      left -= 1
      return true
    }
    switch event {
    case .heard(let message):
      if newest != nil { skipped += 1 }
      newest = message
    case .ended:
      if hasEnded { skipped += 1 }
      hasEnded = true
    }
    return false
  }

  /// The deferred message that is due: one at a time, a presence message before an end.
  mutating func due(at now: Instant) -> Event? {
    refill(at: now)
    guard left > 0 else { return nil }
    if let message = newest {
      newest = nil
      left -= 1
      return .heard(message)
    }
    guard hasEnded else { return nil }
    hasEnded = false
    left -= 1
    return .ended
  }

  private mutating func refill(at now: Instant) {
    guard let last = lastRefill else {
      lastRefill = now
      return
    }
    let passed = (now - last).nanoseconds / Self.interval.nanoseconds
    guard passed > 0 else { return }
    left = Int(min(Int64(Self.burst), Int64(left) + passed))
    lastRefill = now
  }
}
