// PeerTransport: BOLT 8 over a TCP socket, for both ends. It knows bytes, connections and who the other end is, not what
// the messages mean.

import Ground
import Crypto
import DaemonRuntime
import Glibc
import LightningWire

/// One connection between a wallet and its peer. It ends once, and says why, unless it was cut off by this side.
public final class PeerConnection {
  public enum End: Hashable, Sendable, CustomStringConvertible {
    case hungUp
    /// This side hung up, and the other side's last bytes are read.
    case drained
    case slowReader
    /// The handshake, or a message, was begun and not finished.
    case slowWriter
    /// What came does not fit the keys: the other end is another node, or somebody on the way changes bytes.
    case refused(TransportError)
    case failed(SystemError)

    public var description: String {
      switch self {
      case .hungUp: "the peer hung up"
      case .drained: "hung up in good order"
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
    /// Our end is shut; what still comes is dropped. → ended
    case draining
    /// Nothing follows.
    case ended
  }

  /// What the other side may leave unread before it is hung up on: more than ten of the largest messages, and little
  /// of the extension's 24 MB.
  public static let unsentLimit = 1024 * 1024
  /// A message of the largest size comes within this at 52 kbit/s; slower is no network that could carry a payment.
  static let frameBound = TimeSpan.seconds(10)
  /// So much of one peer at a time: each message may cost a durable write, and meanwhile the others wait.
  static let framesPerTurn = 32

  /// The bytes of one message.
  public var onMessage: (([UInt8]) -> Void)?
  /// Asked with the first act of whoever dialled us, before anything is computed; no ends the connection.
  var admitsFirstAct: ((ArraySlice<UInt8>) -> Bool)?
  /// Who dialled us knew whom: its first act fits our id.
  var onRecognised: (() -> Void)?
  /// The other end has proven who it is.
  public var onConnected: (() -> Void)?
  public var onEnd: ((End) -> Void)?

  var frameWithin = PeerConnection.frameBound

  let descriptor: Int32
  private let loop: EventLoop
  private var state: State
  /// Nil until the first bytes of whoever dialled us.
  private var channel: SecureChannel?
  private var answer: (() throws(SystemError) -> SecureChannel)?
  /// Until it is whole.
  private var firstAct: [UInt8] = []
  /// Who the other end is, once that is proven.
  public private(set) var remote: PublicKey?
  private var unsent: [UInt8] = []
  private var shutsWhenSent = false
  /// Runs while the handshake or a message is unfinished.
  private var frameTimer: LoopTimer?
  /// Whole messages that came at once are dealt out in portions; until then nothing more is read.
  private var isCatchingUp = false

  /// Somebody dialled us. A key is drawn when something comes: who connects and says nothing costs no more than that.
  init(
    accepted descriptor: Int32, as key: PrivateKey,
    drawing ephemeral: @escaping () throws(SystemError) -> PrivateKey = PrivateKey.ephemeral, loop: EventLoop
  ) {
    self.descriptor = descriptor
    self.loop = loop
    state = .open
    answer = { () throws(SystemError) in SecureChannel(answeringAs: key, ephemeral: try ephemeral()) }
  }

  /// We dialled.
  init(
    dialling descriptor: Int32, _ node: PublicKey, as key: PrivateKey, ephemeral: PrivateKey,
    loop: EventLoop
  ) {
    self.descriptor = descriptor
    self.loop = loop
    state = .connecting
    channel = SecureChannel(dialling: node, as: key, ephemeral: ephemeral, opening: &unsent)
  }

  deinit { if state != .ended { close(descriptor) } }

  /// Begins to listen; set the handlers before.
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

  /// Closing with bytes unread would send a reset and could destroy our last message on its way: so the sending
  /// side is shut first, and the other side read to its end.
  public func hangUp() {
    guard state == .open else { return cutOff() }
    shutsWhenSent = true
    shutIfSent()
  }

  /// Closes at once, whatever is unread or unsent. No handler is called any more.
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
    // A hang-up counts when everything that came before it is dealt out.
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
    // Bounded, so that one busy peer does not keep the loop from the rest.
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
      dealOut()
    }
  }

  /// False when the connection is over with it.
  private func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    firstAct += bytes
    guard firstAct.count >= SecureChannel.firstActSize, let answer else { return true }
    if admitsFirstAct?(firstAct[..<SecureChannel.firstActSize]) == false {
      finish(.hungUp)
      return false
    }
    do throws(SystemError) {
      channel = try answer()
    } catch {
      finish(.failed(error))
      return false
    }
    self.answer = nil
    channel?.append(firstAct[...])
    firstAct = []
    return true
  }

  private func dealOut() {
    var dealt = 0
    do throws(TransportError) {
      while dealt < Self.framesPerTurn, state == .open, let event = try channel?.next() {
        dealt += 1
        happened(event)
      }
    } catch { return finish(.refused(error)) }
    guard state == .open else { return stopCatchingUp() }
    if dealt > 0 || !isInside {
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

  private var isInside: Bool { channel?.isInside ?? !firstAct.isEmpty }

  private func watchUnfinished() {
    guard isInside, frameTimer == nil, state == .open else { return }
    frameTimer = loop.after(frameWithin) { [weak self] in self?.finish(.slowWriter) }
  }

  /// In the next turn of the loop, after everybody else who is ready.
  private func catchUp() {
    if !isCatchingUp {
      isCatchingUp = true
      watchWhatMatters()
    }
    loop.after(.zero) { [weak self] in self?.dealOut() }
  }

  private func stopCatchingUp() {
    guard isCatchingUp else { return }
    isCatchingUp = false
    watchWhatMatters()
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
    watchWhatMatters()
  }

  private func watchWhatMatters() {
    guard state != .ended, loop.isWatching(descriptor) else { return }
    do throws(SystemError) {
      try loop.change(descriptor, to: interest)
    } catch { finish(.failed(error)) }
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
