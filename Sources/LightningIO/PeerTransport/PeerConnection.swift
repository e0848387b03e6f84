// LightningIO/PeerTransport: BOLT 8 over a TCP socket, for both ends. It has bytes, connections and node ids, and does not
// interpret messages.

import Crypto
import DaemonRuntime
import Glibc
import Ground
import Lightning
import Platform

/// One connection between a wallet and its peer. It reports its end once, unless this side cut it off.
public final class PeerConnection {
  public enum End: Hashable, Sendable, CustomStringConvertible {
    case hungUp
    /// This side disconnected, and the other side's last bytes are read.
    case drained
    case slowReader
    /// The handshake or a message was begun and not finished in time.
    case slowWriter
    /// The bytes do not match the keys: the other end is another node, or bytes were changed on the way.
    case refused(TransportError)
    case failed(SystemError)

    public var description: String {
      switch self {
      case .hungUp: "the peer disconnected"
      case .drained: "disconnected in good order"
      case .slowReader: "the peer does not read"
      case .slowWriter:
        "the peer began the handshake or a message and did not finish it within "
          + SpanText.write(PeerConnection.frameBound)
      case .refused(let error): error.description
      case .failed(let error): error.description
      }
    }
  }

  enum State {
    /// The dial is under way. → open, ended
    case connecting
    /// The handshake, then messages. → draining, ended
    case open
    /// Our end is shut; received bytes are dropped. → ended
    case draining
    case ended
  }

  /// The limit on unsent bytes before the connection is closed: more than ten of the largest messages, and little of
  /// the extension's 24 MB.
  public static let unsentLimit = 1024 * 1024
  /// Enough for the largest message at 52 kbit/s; a slower network is not usable for payments.
  static let frameBound = TimeSpan.seconds(10)
  /// The limit on messages of one peer per turn of the loop: each may cost a durable write while the others wait.
  static let framesPerTurn = 32

  /// The bytes of one message.
  public var onMessage: (([UInt8]) -> Void)?
  /// Asked with the initiator's act one, before any cryptography; false ends the connection.
  var admitsFirstAct: ((ArraySlice<UInt8>) -> Bool)?
  /// The initiator's act one is for our node id.
  var onRecognised: (() -> Void)?
  /// The other end has proven its node id.
  public var onConnected: (() -> Void)?
  public var onEnd: ((End) -> Void)?

  var frameWithin = PeerConnection.frameBound

  let descriptor: Int32
  private let loop: EventLoop
  private var state: State
  /// Nil at the responder until act one.
  private var channel: SecureChannel?
  private var answer: (() throws(SystemError) -> SecureChannel)?
  /// Collected until it is complete.
  private var firstAct: [UInt8] = []
  /// The other end's node id, once it is proven.
  public private(set) var remote: PublicKey?
  private var unsent: [UInt8] = []
  private var shutsWhenSent = false
  /// Runs while the handshake or a message is incomplete.
  private var frameTimer: LoopTimer?
  /// More complete messages are buffered than one turn handles; until they are handled nothing more is read.
  private var isCatchingUp = false

  /// The responder. The ephemeral key is drawn with act one, so that a silent connection costs no more than its
  /// socket.
  init(
    accepted descriptor: Int32, as key: PrivateKey,
    drawing ephemeral: @escaping () throws(SystemError) -> PrivateKey = PrivateKey.ephemeral, loop: EventLoop
  ) {
    self.descriptor = descriptor
    self.loop = loop
    state = .open
    answer = { () throws(SystemError) in SecureChannel(answeringAs: key, ephemeral: try ephemeral()) }
  }

  /// The initiator.
  init(
    dialling descriptor: Int32, _ node: PublicKey, as key: PrivateKey, ephemeral: PrivateKey, loop: EventLoop
  ) {
    self.descriptor = descriptor
    self.loop = loop
    state = .connecting
    channel = SecureChannel(dialling: node, as: key, ephemeral: ephemeral, opening: &unsent)
  }

  deinit { if state != .ended { close(descriptor) } }

  /// Begins to read; set the handlers before.
  public func start() {
    guard state != .ended, !loop.isWatching(descriptor) else { return }
    do throws(SystemError) {
      try loop.watch(descriptor, interest) { [self] readiness in ready(readiness) }
    } catch { finish(.failed(error)) }
  }

  public func send(_ message: [UInt8]) {
    guard state == .open, !shutsWhenSent, let sealed = channel?.seal(message) else { return }
    put(sealed)
  }

  private func put(_ bytes: [UInt8]) {
    unsent += bytes
    flush()
    if unsent.count > Self.unsentLimit { finish(.slowReader) }
  }

  /// Closing with unread bytes would send a reset, which could destroy our last message: so the sending side is shut
  /// first, and the other side read to its end.
  public func hangUp() {
    guard state == .open else { return cutOff() }
    shutsWhenSent = true
    shutIfSent()
  }

  /// Closes at once; unread and unsent bytes are dropped. No handler is called any more.
  public func cutOff() {
    guard state != .ended else { return }
    onEnd = nil
    finish(.hungUp)
  }

  private func shutIfSent() {
    guard shutsWhenSent, unsent.isEmpty, state == .open else { return }
    state = .draining
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private var interest: EventLoop.Readiness {
    if state == .connecting { return [.readable, .writable] }
    var interest: EventLoop.Readiness = unsent.isEmpty ? [] : .writable
    if !isCatchingUp { interest.insert(.readable) }
    return interest
  }

  private func ready(_ readiness: EventLoop.Readiness) {
    if state == .connecting {
      guard !readiness.isDisjoint(with: [.writable, .error, .hangUp]) else { return }
      guard finishConnecting() else { return }
    }
    if readiness.contains(.writable) { flush() }
    // The other side's close is handled after the messages before it.
    if !isCatchingUp, !readiness.isDisjoint(with: [.readable, .hangUp, .error]) { receiveAll() }
  }

  private func finishConnecting() -> Bool {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    guard code == 0 else {
      finish(.failed(SystemError("reach the peer", code: code)))
      return false
    }
    state = .open
    flush()
    watchUnfinished()
    return state != .ended
  }

  private func receiveAll() {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    // Bounded, so that one busy peer does not block the loop.
    for _ in 0..<4 where state != .ended && !isCatchingUp {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN {
          finish(errno == ECONNRESET ? .hungUp : .failed(SystemError("read from the peer")))
        }
        return
      }
      if count == 0 { return finish(state == .draining ? .drained : .hungUp) }
      guard state == .open else { continue }
      if answer == nil {
        channel?.append(buffer[..<count])
      } else {
        guard begins(buffer[..<count]) else { return }
      }
      deliver()
    }
  }

  /// False if this ended the connection.
  private func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    firstAct += bytes
    guard firstAct.count >= SecureChannel.firstActSize, let answer else { return true }
    if admitsFirstAct?(firstAct[..<SecureChannel.firstActSize]) == false {
      finish(.hungUp)
      return false
    }
    do throws(SystemError) { channel = try answer() } catch {
      finish(.failed(error))
      return false
    }
    self.answer = nil
    channel?.append(firstAct[...])
    firstAct = []
    return true
  }

  private func deliver() {
    var dealt = 0
    do throws(TransportError) {
      while dealt < Self.framesPerTurn, state == .open, let event = try channel?.next() {
        dealt += 1
        happened(event)
      }
    } catch { return finish(.refused(error)) }
    guard state == .open else { return stopCatchingUp() }
    if dealt > 0 || !isIncomplete {
      frameTimer?.cancel()
      frameTimer = nil
    }
    if dealt == Self.framesPerTurn, channel?.hasMore == true { return catchUp() }
    stopCatchingUp()
    watchUnfinished()
  }

  private func happened(_ event: SecureChannel.Event) {
    switch event {
    case .message(let message): onMessage?(message)
    case .handshake(let reply, let established):
      if !reply.isEmpty { put(reply) }
      guard state == .open else { return }
      guard let established else { onRecognised?(); return }
      remote = established
      onConnected?()
    }
  }

  private var isIncomplete: Bool { channel?.isIncomplete ?? !firstAct.isEmpty }

  private func watchUnfinished() {
    guard isIncomplete, frameTimer == nil, state == .open else { return }
    frameTimer = loop.after(frameWithin) { [weak self] in self?.finish(.slowWriter) }
  }

  /// In the next turn of the loop, after the other ready connections.
  private func catchUp() {
    if !isCatchingUp {
      isCatchingUp = true
      updateInterest()
    }
    loop.after(.zero) { [weak self] in self?.deliver() }
  }

  private func stopCatchingUp() {
    guard isCatchingUp else { return }
    isCatchingUp = false
    updateInterest()
  }

  private func flush() {
    while !unsent.isEmpty, state == .open {
      let count = Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_NOSIGNAL))
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { break }
        return finish(
          errno == EPIPE || errno == ECONNRESET ? .hungUp : .failed(SystemError("write to the peer")))
      }
      unsent.removeFirst(count)
    }
    shutIfSent()
    updateInterest()
  }

  private func updateInterest() {
    guard state != .ended, loop.isWatching(descriptor) else { return }
    do throws(SystemError) { try loop.change(descriptor, to: interest) } catch { finish(.failed(error)) }
  }

  private func finish(_ end: End) {
    guard state != .ended else { return }
    state = .ended
    frameTimer?.cancel()
    loop.unwatch(descriptor)
    close(descriptor)
    let handler = onEnd
    onMessage = nil
    admitsFirstAct = nil
    onRecognised = nil
    onConnected = nil
    onEnd = nil
    handler?(end)
  }
}

extension PeerConnection {
  /// Begins to dial without blocking; `onConnected` or `onEnd` reports the result. The caller sets the time limit.
  public static func dial(
    _ peer: PeerAddress, as key: PrivateKey, loop: EventLoop
  ) throws(SystemError) -> PeerConnection {
    let ephemeral = try PrivateKey.ephemeral()
    var socketAddress = try TCPSocket.address(of: peer.place)
    let descriptor = try TCPSocket.make()
    let result = Kernel.withSocketAddress(&socketAddress) { connect(descriptor, $0, $1) }
    if result != 0 && errno != EINPROGRESS {
      let error = SystemError("reach the peer at \(peer.place)")
      close(descriptor)
      throw error
    }
    return PeerConnection(dialling: descriptor, peer.node, as: key, ephemeral: ephemeral, loop: loop)
  }
}

extension PrivateKey {
  /// A new key for each connection.
  static func ephemeral() throws(SystemError) -> PrivateKey {
    guard let key = Bytes32(randomBytes(Bytes32.size)).flatMap({ PrivateKey($0) }) else {
      throw SystemError("draw a key", code: EAGAIN)
    }
    return key
  }
}
