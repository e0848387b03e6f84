import Ground
import Crypto

/// BOLT 8's handshake, for either end: three acts, after which both ends know each other's node id and share secret
/// keys. The initiator must know the responder's node id; the responder learns the initiator's with act three.
///
/// Pure: the caller draws a new ephemeral key for each connection.
struct Handshake: Sendable {
  enum Stage: Hashable, Sendable {
    /// The initiator has sent act one. → done
    case awaitsActTwo
    /// The responder has received nothing yet. → awaitsActThree
    case awaitsActOne
    /// The responder has sent act two. → done
    case awaitsActThree
    case done
  }

  struct Keys: Sendable {
    let sending: TransportCipher
    let receiving: TransportCipher
    let remote: PublicKey
  }

  struct Answer: Sendable {
    var reply: [UInt8] = []
    /// Set when this end is done.
    var keys: Keys?
  }

  private(set) var stage: Stage
  private var digest: HandshakeDigest
  private let ours: PrivateKey
  private let ephemeral: PrivateKey
  private var remote: PublicKey?

  private static let version: UInt8 = 0
  private static let tagSize = ChaCha20Poly1305.tagSize

  init(answeringAs ours: PrivateKey, ephemeral: PrivateKey) {
    self.ours = ours
    self.ephemeral = ephemeral
    stage = .awaitsActOne
    digest = HandshakeDigest(responder: ours.publicKey)
  }

  /// `actOne` must be sent first.
  init(dialling remote: PublicKey, as ours: PrivateKey, ephemeral: PrivateKey, actOne: inout [UInt8]) {
    self.ours = ours
    self.ephemeral = ephemeral
    self.remote = remote
    stage = .awaitsActTwo
    digest = HandshakeDigest(responder: remote)
    digest.mix(ephemeral.publicKey.bytes)
    digest.mix(secret: ephemeral.sharedSecret(with: remote))
    actOne = [Self.version] + ephemeral.publicKey.bytes + digest.seal([])
  }

  /// The size of the other end's next act.
  var awaitedSize: Int {
    switch stage {
    case .awaitsActOne, .awaitsActTwo: 1 + PublicKey.size + Self.tagSize
    case .awaitsActThree: 1 + PublicKey.size + 2 * Self.tagSize
    case .done: 0
    }
  }

  /// Takes one complete act. After an error the connection must be closed without another message.
  mutating func receive(_ act: [UInt8]) throws(TransportError) -> Answer {
    defer { if stage == .awaitsActOne { stage = .awaitsActThree } else { stage = .done } }
    switch stage {
    case .awaitsActOne: return try receiveActOne(act)
    case .awaitsActTwo: return try receiveActTwo(act)
    case .awaitsActThree: return try receiveActThree(act)
    case .done: return Answer()
    }
  }

  private mutating func receiveActOne(_ act: [UInt8]) throws(TransportError) -> Answer {
    let theirs = try readKey(of: act, number: 1)
    digest.mix(theirs.bytes)
    digest.mix(secret: ours.sharedSecret(with: theirs))
    try checkTag(of: act, number: 1)
    digest.mix(ephemeral.publicKey.bytes)
    digest.mix(secret: ephemeral.sharedSecret(with: theirs))
    return Answer(reply: [Self.version] + ephemeral.publicKey.bytes + digest.seal([]))
  }

  private mutating func receiveActTwo(_ act: [UInt8]) throws(TransportError) -> Answer {
    let theirs = try readKey(of: act, number: 2)
    digest.mix(theirs.bytes)
    digest.mix(secret: ephemeral.sharedSecret(with: theirs))
    try checkTag(of: act, number: 2)
    let sealedKey = digest.seal(ours.publicKey.bytes, use: 1)
    digest.mix(secret: ours.sharedSecret(with: theirs))
    let actThree = [Self.version] + sealedKey + digest.seal([])
    guard let remote else { throw .badKey(act: 2) }
    let (first, second) = digest.finalKeys()
    return Answer(reply: actThree, keys: keys(sending: first, receiving: second, remote))
  }

  private mutating func receiveActThree(_ act: [UInt8]) throws(TransportError) -> Answer {
    try checkVersion(of: act, number: 3)
    let sealedKey = Array(act[1..<(1 + PublicKey.size + Self.tagSize)])
    guard let opened = digest.open(sealedKey, use: 1) else { throw .badCiphertext }
    guard let theirs = PublicKey(opened) else { throw .badKey(act: 3) }
    digest.mix(secret: ephemeral.sharedSecret(with: theirs))
    try checkTag(of: act, number: 3)
    let (first, second) = digest.finalKeys()
    return Answer(keys: keys(sending: second, receiving: first, theirs))
  }

  private func keys(sending: Bytes32, receiving: Bytes32, _ remote: PublicKey) -> Keys {
    Keys(
      sending: TransportCipher(key: sending, chainingKey: digest.chainingKey),
      receiving: TransportCipher(key: receiving, chainingKey: digest.chainingKey), remote: remote)
  }

  private func checkVersion(of act: [UInt8], number: Int) throws(TransportError) {
    guard act[0] == Self.version else { throw .unknownVersion(act: number, version: act[0]) }
  }

  private func readKey(of act: [UInt8], number: Int) throws(TransportError) -> PublicKey {
    try checkVersion(of: act, number: number)
    guard let key = PublicKey(act[1..<(1 + PublicKey.size)]) else { throw .badKey(act: number) }
    return key
  }

  private mutating func checkTag(of act: [UInt8], number: Int) throws(TransportError) {
    guard digest.open(Array(act.suffix(Self.tagSize))) != nil else { throw .badTag(act: number) }
  }
}
