import CLinux
import Glibc
import Ground
import Platform

/// Accepts connections on a Unix socket, from processes of the same user only. The doorkeeper decides which
/// connections stay.
public final class UnixListener {
  public struct Limits: Sendable {
    public var door = Doorkeeper.Limits()
    public var connection = UnixConnection.Limits()
    public init() {}
  }

  /// More than all places; the kernel lets further clients wait.
  private static let backlog: Int32 = 256

  private let loop: EventLoop
  private let path: UnixPath
  private let inode: UInt64
  private let limits: Limits
  private let accepted: (UnixConnection) -> Void
  private let admission: AcceptLoop
  private var open: [UInt64: UnixConnection] = [:]
  private var nextCaller: UInt64 = 1
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
    do throws(SystemError) { path = try UnixPath(text) } catch { throw .system(error) }
    if !replacingLive { try Self.refuseLiveListener(on: path) }
    if let obstacle = Self.obstacle(at: path) { throw obstacle }
    let socket = baton_seqpacket_socket()
    if socket < 0 { throw .system(SystemError("create a socket for \(text)")) }
    do throws(SystemError) { inode = try Self.bind(socket, to: path) } catch {
      close(socket)
      throw .system(error)
    }
    admission = AcceptLoop(of: socket, loop: loop, limits: limits.door)
    self.loop = loop
    self.limits = limits
    self.accepted = accepted
    admission.onAccepted = { [unowned self] in admit($0) }
    admission.onTurnedAway = { [unowned self] in turnAway($0, $1) }
    do throws(SystemError) { try admission.start() } catch { throw .system(error) }
  }

  deinit { shutDown() }

  /// What no listener replaces.
  public static func obstacle(at text: String) -> UnixListenerError? {
    (try? UnixPath(text)).flatMap(obstacle)
  }

  private static func obstacle(at path: UnixPath) -> UnixListenerError? {
    guard let status = path.status(path.name), status.st_mode & S_IFMT != S_IFSOCK else { return nil }
    return .notASocket(path.full)
  }

  /// Bound under another name, listening, and only then renamed to the path: no client ever gets ECONNREFUSED
  /// there.
  private static func bind(_ socket: Int32, to path: UnixPath) throws(SystemError) -> UInt64 {
    let name = ".\(getpid()).\(socket).sock"
    path.remove(name)
    // The socket's own mode becomes that of its path; a changed umask would hit other threads' files.
    _ = fchmod(socket, 0o600)
    let bound = Kernel.withUnixAddress(path.short(name)) { Glibc.bind(socket, $0, $1) }
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
    let connection = UnixConnection(descriptor: socket, peer: peer, loop: loop, limits: limits.connection)
    open[caller] = connection
    connection.onHeard = { [unowned self] in heard(caller) }
    connection.onSaid = { [unowned self] in admission.wasAnswered(caller) }
    connection.onForget = { [weak self] in self?.forget(caller) }
    admission.arrived(caller)
    accepted(connection)
    connection.start()
  }

  // MARK: Admission

  private func heard(_ caller: UInt64) {
    guard !admission.spoke(caller) else { return }
    sendAway(
      caller, "\(limits.door.openRequests) requests of this connection have no answer yet; wait for those")
  }

  private func turnAway(_ callers: [UInt64], _ cause: AcceptLoop.Cause) {
    let sentence =
      switch cause {
      case .noDescriptor: "no file descriptor is left for other connections; connect again"
      case .crowd:
        "a newer connection took the place of this one, as at most \(limits.door.connectionsMax) stay open; connect again"
      case .late:
        "no request came within \(SpanText.write(limits.door.firstMessageWithin)); connect when you have one"
      }
    for caller in callers { sendAway(caller, sentence) }
  }

  private func sendAway(_ caller: UInt64, _ sentence: String) {
    guard let connection = open[caller] else { return }
    sentAway += 1
    connection.send(.error(sentence))
    connection.close()
  }

  private func forget(_ caller: UInt64) {
    admission.left(caller)
    open[caller] = nil
  }

  public var connectionCount: Int { open.count }

  /// Closes the socket and all connections; removes the path if it is still ours.
  public func shutDown() {
    guard !isClosed else { return }
    isClosed = true
    if let status = path.status(path.name), UInt64(status.st_ino) == inode { path.remove(path.name) }
    admission.stop()
    for caller in open.keys.sorted() { open[caller]?.close() }
  }
}

/// Why a listener cannot be created at a path.
public enum UnixListenerError: Error, Hashable, Sendable, CustomStringConvertible {
  case alreadyListening(path: String, pid: Int32?)
  case notASocket(String)
  case system(SystemError)

  public var description: String {
    switch self {
    case .alreadyListening(let path, let pid):
      "\(path) is in use by \(pid.map { "process \($0)" } ?? "another process"); stop that process first"
    case .notASocket(let path): "\(path) exists and is not a socket; move it away"
    case .system(let error): error.description
    }
  }
}

/// A path for a Unix socket. The kernel takes at most 107 bytes; longer ones go through a descriptor of the
/// directory, which `/proc/self/fd` makes short.
final class UnixPath {
  let full: String
  private let directory: String
  let name: String
  let descriptor: Int32

  init(_ path: String) throws(SystemError) {
    full = path
    // Split by bytes, as the kernel does: a slash and a combining mark after it are one Swift character.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
    name = String(path[start...])
    directory = slash == nil ? "." : String(path[..<start])
    descriptor = name.isEmpty ? -1 : baton_open_directory_path(directory)
    if descriptor < 0 {
      throw SystemError("open the directory of the socket \(path)", code: name.isEmpty ? EISDIR : errno)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The short path of a name in the same directory.
  func short(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

  func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  var isMissing: Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
  }

  func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  func rename(_ old: String, to new: String) -> Int32 { renameat(descriptor, old, descriptor, new) }

  /// A connected descriptor, or -1 with errno. A link is not followed: it could lead to any other daemon.
  func connect(blockingMilliseconds: Int64?) -> Int32 {
    let there = Kernel.openPlace(name, in: descriptor, followsLink: false)
    if there < 0 { return -1 }
    defer { Self.closeKeepingErrno(there) }
    var status = stat()
    if fstat(there, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      errno = ELOOP
      return -1
    }
    let socket = baton_seqpacket_socket()
    if socket < 0 { return -1 }
    if let milliseconds = blockingMilliseconds {
      // A full backlog makes a non-blocking connect fail at once; with a send timeout the kernel waits for us.
      var timeout = timeval(tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
      _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK)
    }
    if Kernel.withUnixAddress("/proc/self/fd/\(there)", { Glibc.connect(socket, $0, $1) }) != 0 {
      Self.closeKeepingErrno(socket)
      return -1
    }
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    return socket
  }

  private static func closeKeepingErrno(_ descriptor: Int32) {
    let code = errno
    close(descriptor)
    errno = code
  }
}
