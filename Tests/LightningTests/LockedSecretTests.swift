@Suite("A secret in locked memory") struct LockedSecretTests {
  @Test
  func `A locked secret empties its source, gives its bytes to a closure, and prints only their number`() {
    var bytes: [UInt8] = [1, 2, 3]
    let secret = LockedSecret(taking: &bytes)
    #expect(bytes.isEmpty)
    expect(secret.withBytes { Array(UnsafeBufferPointer(start: $0, count: secret.count)) }, is: [1, 2, 3])
    expect("\(secret)", is: "3 secret bytes")
    expect(Mirror(reflecting: secret).children.map(\.label), is: ["count"])
  }

  @Test func `A locked secret used as a key gives the same results as its bytes`() throws {
    let plain = [UInt8](repeating: 7, count: 32)
    var copy = plain
    let secret = LockedSecret(taking: &copy)
    let key = try #require(Bytes32(plain))
    expect(plain, is: [UInt8](repeating: 7, count: 32), "another copy of the bytes is not overwritten")
    expect(HMACSHA256.authenticate([1, 2], key: secret), is: HMACSHA256.authenticate([1, 2], key: plain))
    expect(PrivateKey(secret)?.publicKey, is: PrivateKey(key)?.publicKey)
    let nonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceSize)
    let sealed = try #require(ChaCha20Poly1305.seal([9], key: secret, nonce: nonce))
    expect(sealed, is: ChaCha20Poly1305.seal([9], key: key, nonce: nonce))
    expect(ChaCha20Poly1305.open(sealed, key: secret, nonce: nonce), is: [9])
    let derived = HMACSHA256.authenticate(Array("label".utf8), key: plain)
    expect(
      secret.derived("label").withBytes { Array(UnsafeBufferPointer(start: $0, count: 32)) },
      is: derived.bytes)
    var short: [UInt8] = [1]
    let one = LockedSecret(taking: &short)
    #expect(PrivateKey(one) == nil)
    #expect(ChaCha20Poly1305.seal([9], key: one, nonce: nonce) == nil)
    #expect(ChaCha20Poly1305.open(sealed, key: one, nonce: nonce) == nil)
  }
}
