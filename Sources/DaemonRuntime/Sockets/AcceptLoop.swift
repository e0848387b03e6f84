import CLinux
import Ground
import Glibc

/// Accepts the connections of one listening socket, and tells its owner which of them to close: the doorkeeper decides.
///
/// The owner makes a connection of each accepted socket, gives it an id, and reports what the connection does.
public final class AcceptLoop {
  /// Why a connection is to be closed.
  public enum Cause: Hashable, Sendable {
    /// A client waits, and no descriptor is free.
    case noDescriptor
    /// There are too many connections.
    case crowd
    /// No message came in time.
    case late
  }

  private static let pauseWithoutDescriptors = TimeSpan.milliseconds(100)
  /// A client that connects as fast as we accept must not starve the open connections.
  private static let acceptedPerTurn = 16

  public var onAccepted: (Int32) -> Void = { close($0) }
  public var onTurnedAway: ([UInt64], Cause) -> Void = { _, _ in }
  private let descriptor: Int32
  private let loop: EventLoop
  private var door: Doorkeeper
  private var timer: LoopTimer?
  private var isStopped = false

  /// Closes the descriptor at its end.
  public init(of descriptor: Int32, loop: EventLoop, limits: Doorkeeper.Limits) {
    self.descriptor = descriptor
    self.loop = loop
    door = Doorkeeper(limits: limits)
  }

  deinit { stop() }

  public func start() throws(SystemError) {
    try loop.watch(descriptor, .readable) { [unowned self] _ in acceptSome() }
  }

  public func stop() {
    guard !isStopped else { return }
    isStopped = true
    loop.unwatch(descriptor)
    close(descriptor)
    timer?.cancel()
  }

  // MARK: What a connection does

  /// A socket has become this connection. Others may be turned away for it.
  public func arrived(_ id: UInt64) {
    let tooMany = door.arrived(id, at: loop.now)
    arm()
    if let tooMany { onTurnedAway([tooMany], .crowd) }
  }

  /// It has sent a complete message. False if too many of its requests are unanswered.
  public func spoke(_ id: UInt64) -> Bool {
    defer { arm() }
    return door.spoke(id, at: loop.now)
  }

  public func wasAnswered(_ id: UInt64) { door.wasAnswered(id) }

  public func left(_ id: UInt64) {
    door.left(id)
    arm()
  }

  // MARK: Accepting

  private func acceptSome() {
    for _ in 0..<Self.acceptedPerTurn where !isStopped {
      let socket = baton_accept(descriptor)
      if socket >= 0 {
        onAccepted(socket)
        continue
      }
      let isOutOfDescriptors = errno == EMFILE || errno == ENFILE
      if errno == EINTR || errno == ECONNABORTED { continue }
      if isOutOfDescriptors, !hasWaitingClient { return }
      if isOutOfDescriptors, let silent = door.sendAwayLongestSilent() {
        onTurnedAway([silent], .noDescriptor)
        continue
      }
      if errno != EAGAIN { pause() }
      return
    }
  }

  /// Without a free descriptor `accept` fails before it looks for a client: only close a connection if a client
  /// waits.
  private var hasWaitingClient: Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 0) > 0
  }

  /// The waiting client cannot be accepted, and the socket stays readable: without a pause the loop would spin.
  private func pause() {
    loop.unwatch(descriptor)
    loop.after(Self.pauseWithoutDescriptors) { [weak self] in
      guard let self, !isStopped else { return }
      try? start()
    }
  }

  private func arm() {
    guard timer?.isPending != true || timer?.instant != door.deadline else { return }
    timer?.cancel()
    timer = isStopped ? nil : door.deadline.map { loop.at($0) { [weak self] in self?.turnAwayOverdue() } }
  }

  private func turnAwayOverdue() {
    let overdue = door.sendAwayOverdue(at: loop.now)
    if !overdue.isEmpty { onTurnedAway(overdue, .late) }
    arm()
  }
}
