import Crypto
import Ground

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

/// Why an encrypted connection must end. Nothing may be sent after any of these: the two ends' keys differ, or the
/// other end is not the expected node.
public enum TransportError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case unknownVersion(act: Int, version: UInt8)
  case badKey(act: Int)
  case badTag(act: Int)
  /// The encrypted key of act three.
  case badCiphertext
  case badLength
  case badMessage

  public var description: String {
    switch self {
    case .unknownVersion(let act, let version):
      "act \(act) of the handshake has version \(version), and only 0 is supported"
    case .badKey(let act): "act \(act) of the handshake has a key that is not a point on the curve"
    case .badTag(let act) where act == 1:
      "act 1 of the handshake is not authentic: the other end dialled another node's id, or does not use BOLT 8"
    case .badTag(let act):
      "act \(act) of the handshake is not authentic: the other end is not the expected node"
    case .badCiphertext: "act 3 of the handshake has a key that cannot be decrypted"
    case .badLength: "the length of a message cannot be decrypted: bytes were changed, repeated or lost"
    case .badMessage: "a message cannot be decrypted: bytes were changed"
    }
  }
}

/// One direction of an encrypted connection: its key, rotated after 1000 uses, and the number of the next use. A
/// message uses the key twice, for its length and its body.
struct TransportCipher: Hashable, Sendable {
  static let usesPerKey: UInt64 = 1000

  private var key: Bytes32
  private var chainingKey: Bytes32
  private(set) var uses: UInt64 = 0

  init(key: Bytes32, chainingKey: Bytes32) {
    self.key = key
    self.chainingKey = chainingKey
  }

  /// Four zero bytes and the number in little-endian order, as in Noise.
  static func nonce(_ number: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  mutating func seal(_ plaintext: [UInt8]) -> [UInt8] {
    defer { countUse() }
    return ChaCha20Poly1305.seal(plaintext, key: key, nonce: Self.nonce(uses)) ?? []
  }

  /// Nil unless the other end's cipher made these bytes with this use's number.
  mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
    defer { countUse() }
    return ChaCha20Poly1305.open(sealed, key: key, nonce: Self.nonce(uses))
  }

  private mutating func countUse() {
    uses += 1
    guard uses == Self.usesPerKey else { return }
    (chainingKey, key) = KeyDerivation.twoKeys(salt: chainingKey, from: key.bytes)
    uses = 0
  }
}

/// The state that both ends of a handshake share: the hash of all messages, and the key derived from all shared
/// secrets.
struct HandshakeDigest: Sendable {
  private(set) var hash: Bytes32
  private(set) var chainingKey: Bytes32
  private var key = Bytes32.zero

  init(responder: PublicKey) {
    hash = SHA256.hash(Array("Noise_XK_secp256k1_ChaChaPoly_SHA256".utf8))
    chainingKey = hash
    mix(Array("lightning".utf8))
    mix(responder.bytes)
  }

  mutating func mix(_ bytes: [UInt8]) { hash = SHA256.hash(hash.bytes + bytes) }

  mutating func mix(secret: Bytes32) {
    (chainingKey, key) = KeyDerivation.twoKeys(salt: chainingKey, from: secret.bytes)
  }

  mutating func seal(_ plaintext: [UInt8], use: UInt64 = 0) -> [UInt8] {
    let sealed =
      ChaCha20Poly1305.seal(
        plaintext, key: key, nonce: TransportCipher.nonce(use), authenticating: hash.bytes) ?? []
    mix(sealed)
    return sealed
  }

  mutating func open(_ sealed: [UInt8], use: UInt64 = 0) -> [UInt8]? {
    let plaintext = ChaCha20Poly1305.open(
      sealed, key: key, nonce: TransportCipher.nonce(use), authenticating: hash.bytes)
    mix(sealed)
    return plaintext
  }

  /// The initiator sends with the first.
  func finalKeys() -> (first: Bytes32, second: Bytes32) { KeyDerivation.twoKeys(salt: chainingKey, from: []) }
}
