@testable import Lightning

@Suite("Keys of a connection") struct HiddenKeyTests {
  private static func key(_ byte: UInt8) -> PrivateKey {
    Bytes32([UInt8](repeating: byte, count: 32)).flatMap { PrivateKey($0) }!
  }

  /// The chaining key and the two transport keys of BOLT 8's vectors after the handshake.
  private static let secrets = [
    "919219dbb2920afa8db80f9a51787a840bcf111ed8d588caf9ab4be716e42b01",
    "969ab31b4d288cedf6218839b27a3e2140827047f2c0f01bf5c04435d43511a9",
    "bb9020b8965f4df047e07f955f3c4b88418984aadc5cdb35096b9ea8fa5c3442",
  ].compactMap { Bytes32(hex: $0) }

  /// Swift's default text forms of a value.
  private func texts(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return dumped + String(describing: value) + String(reflecting: value) + "\([value])"
  }

  /// Searches for the secret as hex and as the four words that `dump` prints.
  private func isShown(_ secret: Bytes32, in text: String) -> Bool {
    let words = (0..<4).map { word in
      secret.bytes[(8 * word)..<(8 * word + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return text.contains(secret.hex) || words.contains { text.contains("\($0)") }
  }

  @Test func `No default text form of a BOLT 8 handshake or cipher contains a secret key`() throws {
    var opening: [UInt8] = []
    let (dialler, answerer) = (Self.key(0x11), Self.key(0x21))
    var one = SecureChannel(
      dialling: answerer.publicKey, as: dialler, ephemeral: Self.key(0x12), opening: &opening)
    var other = SecureChannel(answeringAs: answerer, ephemeral: Self.key(0x22))
    var handshake = Handshake(
      dialling: answerer.publicKey, as: dialler, ephemeral: Self.key(0x12), actOne: &opening)
    other.append(opening[...])
    guard case .handshake(let actTwo, _)? = try other.next() else { throw TransportError.badTag(act: 1) }
    one.append(actTwo[...])
    let keys = try #require(try handshake.receive(actTwo).keys)
    guard case .handshake(let actThree, _)? = try one.next() else { throw TransportError.badTag(act: 2) }
    let duringHandshake = texts(of: other)
    other.append(actThree[...])
    _ = try other.next()
    #expect(one.isEstablished && other.isEstablished)

    var digest = HandshakeDigest(responder: answerer.publicKey)
    digest.mix(secret: Self.secrets[0])
    let cipher = TransportCipher(key: Self.secrets[1], chainingKey: Self.secrets[2])
    let all =
      duringHandshake + texts(of: [one, other]) + texts(of: handshake) + texts(of: keys) + texts(of: cipher)
    for secret in Self.secrets { #expect(!isShown(secret, in: all)) }
    for secret in [digest.chainingKey, digest.finalKeys().first] {
      #expect(!isShown(secret, in: texts(of: digest)))
    }
    // The search finds secrets that are not hidden.
    #expect(Self.secrets.allSatisfy { isShown($0, in: texts(of: Self.secrets)) })
  }
}
