import CLinux
import Glibc

/// One packet connection of the event loop. It ends once, with a reason.
///
/// Nothing here blocks: unread messages wait in a bounded queue, and a connection whose queue overflows is closed,
/// so that one stuck client cannot fill a daemon's memory.
public final class UnixConnection {
  public struct Limits: Sendable {
    public var frameBytes = ControlMessage.maximumSize
    public var queuedFrames = 256
    public var queuedBytes = 1024 * 1024
    public init() {}
  }

  /// Why a connection ended.
  public enum End: Hashable, Sendable, CustomStringConvertible {
    case hungUp
    case closedHere
    case slowReader
    case undecodable(ControlMessageError)
    case failed(SystemError)

    public var description: String {
      switch self {
      case .hungUp: "the other side disconnected"
      case .closedHere: "closed by this side"
      case .slowReader: "the other side did not read its messages"
      case .undecodable(let error): error.description
      case .failed(let error): error.description
      }
    }
  }

  public let peer: PeerCredentials
  public private(set) var end: End?
  public var onMessage: ((ControlMessage) -> Void)?
  public var onEnd: ((End) -> Void)?
  /// Of a connection over which secrets come: gets each message before `onMessage`, and returns whether it took it. Its
  /// body has no other copy then: each packet is overwritten once it is decoded.
  public var takesSecret: ((inout ControlMessage) -> Bool)?
  /// For the doorkeeper: a complete message was received, a message was sent, the connection has ended.
  var onHeard: (() -> Void)?
  var onSaid: (() -> Void)?
  var onForget: (() -> Void)?

  private let descriptor: Int32
  private let loop: EventLoop
  private let limits: Limits
  private var queue: [[UInt8]] = []
  private var queuedBytes = 0
  private var messagesPerTurn = 1
  private static let messagesPerTurnMax = 32
  private var watched: EventLoop.Readiness?

  /// Takes over the descriptor, which must be a connected SOCK_SEQPACKET socket.
  public convenience init?(adopting descriptor: Int32, loop: EventLoop, limits: Limits = Limits()) {
    guard let peer = PeerCredentials(of: descriptor) else { return nil }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    self.init(descriptor: descriptor, peer: peer, loop: loop, limits: limits)
  }

  init(descriptor: Int32, peer: PeerCredentials, loop: EventLoop, limits: Limits) {
    self.descriptor = descriptor
    self.peer = peer
    self.loop = loop
    self.limits = limits
  }

  deinit { if end == nil { Glibc.close(descriptor) } }

  /// Starts receiving; set `onMessage` and `onEnd` before.
  public func start() {
    guard end == nil else { return }
    do throws(SystemError) {
      // The loop keeps the connection alive until it has ended.
      try loop.watch(descriptor, interest) { [self] readiness in ready(readiness) }
      watched = interest
    } catch { finish(.failed(error)) }
  }

  /// False if the connection has ended, even through this message.
  @discardableResult public func send(_ message: ControlMessage) -> Bool {
    guard end == nil else { return false }
    let bytes: [UInt8]
    do throws(ControlMessageError) { bytes = try message.encoded() } catch {
      // If our answer is too large, send an error instead of nothing.
      guard message.verb != "error" else { return false }
      return send(.error("the answer cannot be sent: \(error)"))
    }
    onSaid?()
    queue.append(bytes)
    queuedBytes += bytes.count
    flush()
    if queue.count > limits.queuedFrames || queuedBytes > limits.queuedBytes { finish(.slowReader) }
    return end == nil
  }

  public func close() { finish(.closedHere) }

  private var interest: EventLoop.Readiness { queue.isEmpty ? .readable : [.readable, .writable] }

  private func watchWhatMatters() {
    guard let watched, watched != interest else { return }
    do throws(SystemError) {
      try loop.change(descriptor, to: interest)
      self.watched = interest
    } catch { finish(.failed(error)) }
  }

  /// Receives a few messages per turn, so that other connections get theirs. The number adapts to the last turn: a
  /// receive without a message costs as much as one with a message.
  private func ready(_ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable) { flush() }
    guard !readiness.isDisjoint(with: [.readable, .hangUp, .error]) else { return }
    var left = messagesPerTurn
    while left > 0, receive() { left -= 1 }
    messagesPerTurn = left == 0 ? min(2 * messagesPerTurn, Self.messagesPerTurnMax) : 1
  }

  /// Reads what has already arrived, without waiting; for the last messages of a process that has ended.
  public func drain() { while receive() {} }

  /// False if there was no message.
  @discardableResult private func receive() -> Bool {
    guard end == nil else { return false }
    let buffer = loop.packetBuffer
    // With MSG_TRUNC the true size, even of a packet that is too large.
    let size = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC))
    if size < 0 {
      // A reset means that the other side left data unread. It is reported once, before the other side's last
      // messages, which can still be read.
      if errno == EINTR || errno == ECONNRESET { return true }
      if errno != EAGAIN { finish(.failed(SystemError("receive a message"))) }
      return false
    }
    if size == 0 { finish(.hungUp) } else { take(size) }
    return true
  }

  private func take(_ size: Int) {
    do throws(ControlMessageError) {
      guard size <= min(limits.frameBytes, loop.packetBuffer.count) else { throw .tooLarge(bytes: size) }
      var message = try decode(size)
      onHeard?()
      if takesSecret?(&message) != true { onMessage?(message) }
    } catch {
      send(.error(error.description))
      finish(.undecodable(error))
    }
  }

  private func decode(_ size: Int) throws(ControlMessageError) -> ControlMessage {
    let received = UnsafeMutableRawBufferPointer(rebasing: loop.packetBuffer.prefix(size))
    var packet = Array(received)
    guard takesSecret != nil else { return try ControlMessage(decoding: packet) }
    defer {
      packet.withUnsafeMutableBytes { Self.overwrite($0) }
      Self.overwrite(received)
    }
    return try ControlMessage(decoding: packet)
  }

  /// In a way that the compiler does not leave out.
  private static func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
  }

  private func flush() {
    while let frame = queue.first, end == nil {
      let count = Glibc.send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL))
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        guard errno == EPIPE || errno == ECONNRESET else {
          return finish(.failed(SystemError("send a message")))
        }
        // The other side reads no more; its last messages and its end can still be read.
        queue = []
        queuedBytes = 0
        break
      }
      queue.removeFirst()
      queuedBytes -= frame.count
    }
    guard end == nil else { return }
    watchWhatMatters()
  }

  private func finish(_ reason: End) {
    guard end == nil else { return }
    end = reason
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
    queue = []
    let handler = onEnd
    onMessage = nil
    takesSecret = nil
    onEnd = nil
    onHeard = nil
    onSaid = nil
    handler?(reason)
    let forget = onForget
    onForget = nil
    forget?()
  }
}

extension UnixConnection {
  /// Connects without waiting; nil if no program of this user listens there.
  public static func connect(path: String, loop: EventLoop, limits: Limits = Limits()) -> UnixConnection? {
    try? connect(path: path, to: "", loop: loop, limits: limits)
  }

  /// Connects without waiting. `daemon` is the name in messages: "lspd".
  public static func connect(
    path text: String, to daemon: String, loop: EventLoop, limits: Limits = Limits()
  ) throws(ControlClientError) -> UnixConnection {
    let descriptor: Int32
    do throws(SystemError) {
      descriptor = try UnixPath(text).connect(blockingMilliseconds: nil)
    } catch { throw .notRunning(daemon: daemon, path: text) }
    guard descriptor >= 0 else { throw ControlClientError(connectTo: daemon, path: text) }
    guard let connection = UnixConnection(adopting: descriptor, loop: loop, limits: limits) else {
      let error = SystemError("connect to \(text)")
      Glibc.close(descriptor)
      throw .system(error)
    }
    guard connection.peer.isOurs else {
      connection.close()
      throw .foreign(daemon: daemon, path: text, user: connection.peer.user)
    }
    return connection
  }
}

/// The process at the other end of a Unix socket, as recorded by the kernel at the connect.
public struct PeerCredentials: Hashable, Sendable {
  public private(set) var pid: Int32 = 0
  public private(set) var user: UInt32 = 0

  init?(of descriptor: Int32) {
    guard baton_peer_credentials(descriptor, &pid, &user) == 0 else { return nil }
  }

  /// The same user as this process: a phone's sockets serve no other user, not even root, so messages on both ends
  /// come from this user.
  public var isOurs: Bool { user == geteuid() }

  /// The listener at a path; nil if there is none.
  public static func listener(at path: String) throws(SystemError) -> PeerCredentials? {
    let socket = try UnixPath(path).connect(blockingMilliseconds: nil)
    if socket < 0 {
      switch errno {
      case ENOENT, ECONNREFUSED: return nil
      default: throw SystemError("connect to \(path)")
      }
    }
    defer { close(socket) }
    return PeerCredentials(of: socket)
  }
}
