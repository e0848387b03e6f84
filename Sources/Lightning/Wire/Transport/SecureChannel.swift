import Crypto

/// One end of an encrypted connection, as a value: turns received bytes, split anywhere, into messages, and messages
/// into bytes to send.
public struct SecureChannel: Sendable {
  public enum Event: Hashable, Sendable {
    /// An act of the handshake was received. The reply must be sent; `established` is the other end's node id, once
    /// it is proven.
    case handshake(reply: [UInt8], established: PublicKey?)
    case message([UInt8])
  }

  private enum State: Sendable {
    case shakingHands(Handshake)
    case open(sending: TransportCipher, receiving: TransportCipher)
    /// An error was thrown. Final.
    case broken
  }

  private static let lengthSize = 2
  private static let tagSize = ChaCha20Poly1305.tagSize

  private var state: State
  private var bytes: [UInt8] = []
  private var start = 0
  /// The decrypted length of the next message.
  private var announced: Int?

  /// The size of act one.
  public static let firstActSize = 50

  public init(answeringAs ours: PrivateKey, ephemeral: PrivateKey) {
    state = .shakingHands(Handshake(answeringAs: ours, ephemeral: ephemeral))
  }

  /// `opening` must be sent first.
  public init(
    dialling remote: PublicKey, as ours: PrivateKey, ephemeral: PrivateKey, opening: inout [UInt8]
  ) {
    state = .shakingHands(
      Handshake(dialling: remote, as: ours, ephemeral: ephemeral, actOne: &opening))
  }

  public var isEstablished: Bool {
    if case .open = state { true } else { false }
  }

  // MARK: Receiving

  public mutating func append(_ more: ArraySlice<UInt8>) {
    // Read bytes are dropped here, not with every message, so that small messages cost no copying.
    bytes.removeFirst(start)
    start = 0
    bytes += more
  }

  /// Whether the handshake or a message is incomplete.
  public var isIncomplete: Bool { !isEstablished || available > 0 || announced != nil }

  /// Whether `next` has enough bytes.
  public var hasMore: Bool { available >= needed }

  private var available: Int { bytes.count - start }

  private var needed: Int {
    switch state {
    case .shakingHands(let handshake): handshake.awaitedSize
    case .open: (announced ?? Self.lengthSize) + Self.tagSize
    case .broken: .max
    }
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { start += count }
    return Array(bytes[start..<(start + count)])
  }

  /// The next event; nil if more bytes are needed. Always nil after an error.
  public mutating func next() throws(TransportError) -> Event? {
    do throws(TransportError) { return try read() } catch {
      state = .broken
      throw error
    }
  }

  private mutating func read() throws(TransportError) -> Event? {
    guard hasMore else { return nil }
    switch state {
    case .shakingHands(var handshake):
      let answer = try handshake.receive(take(handshake.awaitedSize))
      if let keys = answer.keys {
        state = .open(sending: keys.sending, receiving: keys.receiving)
      } else {
        state = .shakingHands(handshake)
      }
      return .handshake(reply: answer.reply, established: answer.keys?.remote)
    case .open(let sending, var receiving):
      // One field at a time, as the first has the size of the second.
      if announced == nil {
        guard let length = receiving.open(take(Self.lengthSize + Self.tagSize)) else { throw .badLength }
        announced = Int(length[0]) << 8 | Int(length[1])
      }
      defer { state = .open(sending: sending, receiving: receiving) }
      guard let size = announced, available >= size + Self.tagSize else { return nil }
      guard let message = receiving.open(take(size + Self.tagSize)) else { throw .badMessage }
      announced = nil
      return .message(message)
    case .broken: return nil
    }
  }

  // MARK: Sending

  /// The bytes of one message; nil if it is too long, or if the connection is not established.
  public mutating func seal(_ message: [UInt8]) -> [UInt8]? {
    guard case .open(var sending, let receiving) = state, message.count <= Message.maximumSize else {
      return nil
    }
    let length = [UInt8(message.count >> 8), UInt8(message.count & 0xff)]
    let sealed = sending.seal(length) + sending.seal(message)
    state = .open(sending: sending, receiving: receiving)
    return sealed
  }
}
