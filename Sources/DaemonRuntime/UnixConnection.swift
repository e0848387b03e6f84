import CLinux
import Glibc

/// One packet connection of the event loop. It ends once, and says why.
///
/// Nothing here blocks: what the other side does not read waits in a bounded queue, and a reader that lets it
/// overflow is hung up on, so that one stuck client cannot fill a daemon's memory.
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
      case .hungUp: "the other side hung up"
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
  /// For the door: a whole message came, a message went, it is over.
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
  private var closesWhenSent = false
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

  /// Begins to listen; set `onMessage` and `onEnd` before.
  public func start() {
    guard end == nil else { return }
    do throws(SystemError) {
      // The loop keeps the connection alive until it has ended.
      try loop.watch(descriptor, interest) { [self] readiness in ready(readiness) }
      watched = interest
    } catch { finish(.failed(error)) }
  }

  /// False when the connection has ended, also by this very message.
  @discardableResult
  public func send(_ message: ControlMessage) -> Bool {
    guard end == nil, !closesWhenSent else { return false }
    let bytes: [UInt8]
    do throws(ControlMessageError) {
      bytes = try message.encoded()
    } catch {
      // An answer of ours that is too large must not look like silence.
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

  /// Closes after what is queued has been sent.
  public func closeWhenSent() {
    closesWhenSent = true
    if queue.isEmpty { finish(.closedHere) }
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

  /// A few messages at a time, then the others have their turn. How many depends on whether there were as many the
  /// last time: to ask in vain whether there is one more costs as much as to receive it.
  private func ready(_ readiness: EventLoop.Readiness) {
    if readiness.contains(.writable) { flush() }
    guard !readiness.isDisjoint(with: [.readable, .hangUp, .error]) else { return }
    var left = messagesPerTurn
    while left > 0, receive() { left -= 1 }
    messagesPerTurn = left == 0 ? min(2 * messagesPerTurn, Self.messagesPerTurnMax) : 1
  }

  /// Reads what has already arrived, without waiting; for the last words of a process that has ended.
  public func drain() {
    while receive() {}
  }

  /// False when there was nothing.
  @discardableResult
  private func receive() -> Bool {
    guard end == nil else { return false }
    let buffer = loop.packetBuffer
    // The true size, also of a packet that is larger than it may be.
    let size = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC))
    if size < 0 {
      // A reset says that the other side left something unread. It is said once, ahead of the last messages that
      // the other side wrote, which are still there.
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
      let message = try ControlMessage(decoding: Array(loop.packetBuffer.prefix(size)))
      onHeard?()
      onMessage?(message)
    } catch {
      send(.error(error.description))
      finish(.undecodable(error))
    }
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
        // Nobody reads any more; what the other side wrote before it left is still to be read, and then its end.
        queue = []
        queuedBytes = 0
        break
      }
      queue.removeFirst()
      queuedBytes -= frame.count
    }
    guard end == nil else { return }
    if queue.isEmpty && closesWhenSent { return finish(.closedHere) }
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
  /// Connects without waiting; nil when no program listens there, or it is another user.
  public static func connect(path text: String, loop: EventLoop, limits: Limits = Limits()) -> UnixConnection?
  {
    guard let path = try? UnixPath(text) else { return nil }
    let descriptor = path.connect(blockingMilliseconds: nil)
    guard descriptor >= 0 else { return nil }
    guard let connection = UnixConnection(adopting: descriptor, loop: loop, limits: limits) else {
      Glibc.close(descriptor)
      return nil
    }
    guard connection.peer.isOurs else {
      connection.close()
      return nil
    }
    return connection
  }
}
