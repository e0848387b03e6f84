import CLinux
import CoreShape
import Glibc

/// Takes connections on a Unix socket, from processes of the same user only.
public final class UnixListener {
  public struct Limits: Sendable {
    public var connections = 64
    public var connection = UnixConnection.Limits()
    public init() {}
  }

  private static let pauseWithoutDescriptors = Span.milliseconds(100)

  private let loop: EventLoop
  private let path: UnixPath
  private let descriptor: Int32
  private let inode: UInt64
  private let limits: Limits
  private let accepted: (UnixConnection) -> Void
  private var open: [UnixConnection] = []
  private var isClosed = false

  /// Connections of another user: closed at once, and counted.
  public private(set) var refusedStrangers = 0
  /// Connections above the limit: told so, closed, and counted.
  public private(set) var refusedCrowd = 0

  /// A stale path is replaced; a live listener keeps it unless `replacingLive` says otherwise.
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
    do throws(SystemError) {
      try watch()
    } catch { throw .system(error) }
  }

  private func watch() throws(SystemError) {
    try loop.watch(descriptor, .readable) { [unowned self] _ in acceptAll() }
  }

  /// Without descriptors to spare the waiting connection stays where it is, and the socket readable: the loop would do
  /// nothing else any more.
  private func pause() {
    loop.unwatch(descriptor)
    loop.after(Self.pauseWithoutDescriptors) { [weak self] in
      guard let self, !isClosed else { return }
      try? watch()
    }
  }

  deinit { shutDown() }

  /// Bound under another name, listening, and only then given the path: nobody ever finds it refusing.
  private static func bind(_ socket: Int32, to path: UnixPath) throws(SystemError) -> UInt64 {
    let name = ".\(getpid()).\(socket).sock"
    path.remove(name)
    // The socket's own mode becomes that of its path; a changed umask would hit other threads' files.
    _ = fchmod(socket, 0o600)
    let bound = baton_unix_bind(socket, path.short(name))
    let code = errno
    if bound != 0 { throw SystemError("create the socket \(path.full)", code: code) }
    guard let status = path.status(name), listen(socket, 64) == 0, path.rename(name, to: path.name) == 0
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
    while !isClosed {
      let socket = baton_accept(descriptor)
      if socket < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        if errno != EAGAIN { pause() }
        return
      }
      admit(socket)
    }
  }

  private func admit(_ socket: Int32) {
    guard let peer = PeerCredentials(of: socket), peer.user == getuid() else {
      refusedStrangers += 1
      close(socket)
      return
    }
    guard open.count < limits.connections else {
      refusedCrowd += 1
      let refusal = ControlMessage.error("all \(limits.connections) connections are in use; try again later")
      if let bytes = try? refusal.encoded() { send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
      close(socket)
      return
    }
    let connection = UnixConnection(
      descriptor: socket, peer: peer, loop: loop, limits: limits.connection)
    connection.onForget = { [weak self] gone in self?.open.removeAll { $0 === gone } }
    open.append(connection)
    accepted(connection)
    connection.start()
  }

  public var connectionCount: Int { open.count }

  /// Closes the socket and all connections; removes the path if it is still ours.
  public func shutDown() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(descriptor)
    if let status = path.status(path.name), UInt64(status.st_ino) == inode { path.remove(path.name) }
    close(descriptor)
    for connection in open { connection.close(.closedHere) }
    open = []
  }
}
