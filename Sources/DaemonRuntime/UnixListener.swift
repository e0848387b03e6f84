import CLinux
import Ground
import Glibc

/// Accepts connections on a Unix socket, from processes of the same user only. The doorkeeper decides which
/// connections stay.
public final class UnixListener {
  public struct Limits: Sendable {
    public var door = Doorkeeper.Limits()
    public var connection = UnixConnection.Limits()
    public init() {}
  }

  private static let pauseWithoutDescriptors = TimeSpan.milliseconds(100)
  /// A client that connects as fast as we accept must not starve the open connections.
  private static let acceptedPerTurn = 16
  /// More than all places; the kernel lets further clients wait.
  private static let backlog: Int32 = 256

  private let loop: EventLoop
  private let path: UnixPath
  private let descriptor: Int32
  private let inode: UInt64
  private let limits: Limits
  private let accepted: (UnixConnection) -> Void
  private var door: Doorkeeper
  private var open: [UInt64: UnixConnection] = [:]
  private var nextCaller: UInt64 = 1
  private var doorTimer: LoopTimer?
  private var isClosed = false

  /// Number of refused connections of other users.
  public private(set) var refusedForeigners = 0
  /// Number of connections closed by the doorkeeper: without a request, or to make room.
  public private(set) var sentAway = 0

  /// A stale path is replaced; a live listener keeps it unless `replacingLive` is set.
  public init(
    path text: String, loop: EventLoop, limits: Limits = Limits(), replacingLive: Bool = false,
    accepted: @escaping (UnixConnection) -> Void
  ) throws(UnixListenerError) {
    do throws(SystemError) {
      path = try UnixPath(text)
    } catch { throw .system(error) }
    if !replacingLive { try Self.refuseLiveListener(on: path) }
    if let status = path.status(path.name), status.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(text) }
    let socket = baton_seqpacket_socket()
    if socket < 0 { throw .system(SystemError("create a socket for \(text)")) }
    do throws(SystemError) {
      inode = try Self.bind(socket, to: path)
    } catch {
      close(socket)
      throw .system(error)
    }
    descriptor = socket
    self.loop = loop
    self.limits = limits
    self.accepted = accepted
    door = Doorkeeper(limits: limits.door)
    do throws(SystemError) {
      try watch()
    } catch { throw .system(error) }
  }

  private func watch() throws(SystemError) {
    try loop.watch(descriptor, .readable) { [unowned self] _ in acceptAll() }
  }

  /// Without free descriptors the waiting connection cannot be accepted, and the socket stays readable: without a
  /// pause the loop would spin.
  private func pause() {
    loop.unwatch(descriptor)
    loop.after(Self.pauseWithoutDescriptors) { [weak self] in
      guard let self, !isClosed else { return }
      try? watch()
    }
  }

  deinit { shutDown() }

  /// Bound under another name, listening, and only then renamed to the path: no client ever gets ECONNREFUSED
  /// there.
  private static func bind(_ socket: Int32, to path: UnixPath) throws(SystemError) -> UInt64 {
    let name = ".\(getpid()).\(socket).sock"
    path.remove(name)
    // The socket's own mode becomes that of its path; a changed umask would hit other threads' files.
    _ = fchmod(socket, 0o600)
    let bound = baton_unix_bind(socket, path.short(name))
    let code = errno
    if bound != 0 { throw SystemError("create the socket \(path.full)", code: code) }
    guard let status = path.status(name), listen(socket, backlog) == 0, path.rename(name, to: path.name) == 0
    else {
      let code = errno
      path.remove(name)
      throw SystemError("listen on \(path.full)", code: code)
    }
    return UInt64(status.st_ino)
  }

  private static func refuseLiveListener(on path: UnixPath) throws(UnixListenerError) {
    let probe = path.connect(blockingMilliseconds: nil)
    if probe < 0 {
      // EAGAIN: its backlog is full, so it is alive.
      if errno == EAGAIN { throw .alreadyListening(path: path.full, pid: nil) }
      return
    }
    defer { close(probe) }
    throw .alreadyListening(path: path.full, pid: PeerCredentials(of: probe)?.pid)
  }

  private func acceptAll() {
    for _ in 0..<Self.acceptedPerTurn where !isClosed {
      let socket = baton_accept(descriptor)
      if socket >= 0 {
        admit(socket)
        continue
      }
      let isOutOfDescriptors = errno == EMFILE || errno == ENFILE
      if errno == EINTR || errno == ECONNABORTED { continue }
      if isOutOfDescriptors, !hasWaitingClient { return }
      if isOutOfDescriptors, let silent = door.sendAwayLongestSilent() {
        sendAway(silent, "no file descriptor is left for other connections; connect again")
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

  private func admit(_ socket: Int32) {
    guard let peer = PeerCredentials(of: socket), peer.isOurs else {
      refusedForeigners += 1
      let refusal = ControlMessage.error("this socket serves only the user \(geteuid()); ask as that user")
      if let bytes = try? refusal.encoded() { send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
      close(socket)
      return
    }
    let caller = nextCaller
    nextCaller += 1
    let connection = UnixConnection(
      descriptor: socket, peer: peer, loop: loop, limits: limits.connection)
    open[caller] = connection
    connection.onHeard = { [unowned self] in heard(caller) }
    connection.onSaid = { [unowned self] in door.wasAnswered(caller) }
    connection.onForget = { [weak self] in self?.forget(caller) }
    let tooMany = door.arrived(caller, at: loop.now)
    armDoorTimer()
    if let tooMany {
      sendAway(tooMany, "too many connections have sent no request; connect again and send yours at once")
    }
    accepted(connection)
    connection.start()
  }

  // MARK: Admission

  private func heard(_ caller: UInt64) {
    switch door.spoke(caller, at: loop.now) {
    case .stays: break
    case .staysInPlaceOf(let other):
      sendAway(
        other,
        "a newer connection took the place of this one, as at most \(limits.door.activeMax) stay open; connect again"
      )
    case .asksTooMuch:
      sendAway(
        caller, "\(limits.door.openRequests) requests of this connection have no answer yet; wait for those")
    }
    armDoorTimer()
  }

  private func sendAway(_ caller: UInt64, _ sentence: String) {
    guard let connection = open[caller] else { return }
    sentAway += 1
    connection.send(.error(sentence))
    connection.close()
  }

  private func forget(_ caller: UInt64) {
    door.left(caller)
    open[caller] = nil
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
    for silent in door.sendAwayOverdue(at: loop.now) {
      sendAway(
        silent,
        "no request came within \(SpanText.write(limits.door.firstMessageWithin)); connect when you have one")
    }
    armDoorTimer()
  }

  public var connectionCount: Int { open.count }

  /// Closes the socket and all connections; removes the path if it is still ours.
  public func shutDown() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(descriptor)
    if let status = path.status(path.name), UInt64(status.st_ino) == inode { path.remove(path.name) }
    close(descriptor)
    for caller in open.keys.sorted() { open[caller]?.close() }
    doorTimer?.cancel()
  }
}
