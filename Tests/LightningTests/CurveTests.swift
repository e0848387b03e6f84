@Suite("Keys and signatures") struct CurveTests {
  private let secret = SHA256.hash(Array("a wallet".utf8))
  private var key: PrivateKey? { PrivateKey(secret) }

  @Test func `Zero and the curve's order are invalid private keys, and order minus one is valid`() throws {
    let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    #expect(PrivateKey(.zero) == nil)
    #expect(PrivateKey(try #require(Bytes32(hex: order))) == nil)
    #expect(PrivateKey(try #require(Bytes32(hex: String(order.dropLast()) + "0"))) != nil)
  }

  @Test func `Bytes that are no curve point are refused as a public key`() throws {
    let point = try #require(key).publicKey
    expect(PublicKey(point.bytes), is: point)
    expect(PublicKey(hex: point.hex), is: point)
    #expect(PublicKey([4] + point.bytes.dropFirst()) == nil)
    #expect(PublicKey(point.bytes + [0]) == nil)
    #expect(PublicKey([2] + [UInt8](repeating: 0xff, count: 32)) == nil)
  }

  @Test func `Two keys derive the same shared secret, and a third key a different one`() throws {
    let (one, two) = (try #require(key), try #require(PrivateKey(SHA256.hash([2]))))
    let three = try #require(PrivateKey(SHA256.hash([3])))
    expect(one.sharedSecret(with: two.publicKey), is: two.sharedSecret(with: one.publicKey))
    #expect(one.sharedSecret(with: two.publicKey) != one.sharedSecret(with: three.publicKey))
  }

  @Test func `A signature verifies, and recovers its signer, only for its own digest`() throws {
    let key = try #require(key)
    let digest = SHA256.hash(Array("pay".utf8))
    let signature = key.sign(digest)
    expect(signature, is: key.sign(digest))
    #expect(signature.isValid(for: digest, by: key.publicKey))
    expect(signature.signer(of: digest), is: key.publicKey)
    #expect(!signature.isValid(for: SHA256.hash([1]), by: key.publicKey))
    #expect(signature.signer(of: SHA256.hash([1])) != key.publicKey)
    #expect(RecoverableSignature(signature.compact, recovery: 4) == nil)
    #expect(RecoverableSignature(Array(signature.compact.dropLast()), recovery: 0) == nil)
    let unrecoverable = try #require(RecoverableSignature([UInt8](repeating: 0, count: 64), recovery: 0))
    #expect(unrecoverable.signer(of: digest) == nil)
  }

  @Test func `No printed form of a private key contains the secret`() throws {
    let key = try #require(key)
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] { #expect(!text.contains(secret.hex)) }
  }
}
