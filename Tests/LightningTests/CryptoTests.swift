import Lightning

private func bytes(_ hex: String) -> [UInt8] { Hexadecimal.decode(hex) ?? [] }

@Suite struct CryptoTests {
  @Test func `SHA-256 matches two of NIST's test vectors`() {
    expect(
      SHA256.hash(Array("abc".utf8)).hex,
      is: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    expect(SHA256.hash([]).hex, is: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func `HMAC-SHA256 matches a test case of RFC 4231`() {
    let code = HMACSHA256.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    expect(code.hex, is: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test func `ChaCha20-Poly1305 matches the vector of RFC 8439 and refuses changed input`() throws {
    let key = try #require(Bytes32(hex: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"))
    let nonce = bytes("070000004041424344454647")
    let header = bytes("50515253c0c1c2c3c4c5c6c7")
    let text = Array(
      ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
        + "sunscreen would be it.").utf8)
    let sealed = try #require(ChaCha20Poly1305.seal(text, key: key, nonce: nonce, authenticating: header))
    expect(Hexadecimal.encode(sealed.suffix(16)), is: "1ae10b594f09e26a7e902ecbd0600691")
    expect(ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: header), is: text)

    var changed = sealed
    changed[3] ^= 1
    #expect(ChaCha20Poly1305.open(changed, key: key, nonce: nonce, authenticating: header) == nil)
    #expect(ChaCha20Poly1305.open(sealed, key: key, nonce: nonce) == nil)
    #expect(ChaCha20Poly1305.open([1, 2], key: key, nonce: nonce) == nil)
    #expect(ChaCha20Poly1305.seal(text, key: key, nonce: [1]) == nil)
  }

  @Test func `An empty plaintext is sealed and opened`() throws {
    let nonce = [UInt8](repeating: 0, count: 12)
    let sealed = try #require(ChaCha20Poly1305.seal([], key: .zero, nonce: nonce))
    expect(sealed.count, is: 16)
    expect(ChaCha20Poly1305.open(sealed, key: .zero, nonce: nonce), is: [])
  }

  @Test func `Bytes32 keeps the order of its bytes, and refuses other lengths`() throws {
    let value = try #require(Bytes32(Array(0..<32)))
    expect(value.bytes, is: Array(0..<32))
    expect(Bytes32(hex: value.hex), is: value)
    #expect(Bytes32([1, 2, 3]) == nil)
    #expect(Bytes32(hex: "zz") == nil)
    #expect(Bytes32(hex: String(repeating: "0", count: 63)) == nil)
  }

  @Test func `The constant-time comparison tells equal from different bytes`() {
    #expect(ConstantTime.areEqual([], []))
    #expect(ConstantTime.areEqual([1, 2], [1, 2]))
    #expect(!ConstantTime.areEqual([1, 2], [1, 3]))
    #expect(!ConstantTime.areEqual([1, 2], [1]))
  }

  @Test func `randomBytes returns the requested count and different bytes each time`() {
    #expect(randomBytes(0).isEmpty)
    #expect(randomBytes(-1).isEmpty)
    expect(randomBytes(32).count, is: 32)
    #expect(randomBytes(32) != randomBytes(32))
  }

  @Test(arguments: [
    (
      "0000000000000000000000000000000000000000000000000000000000000000", 281_474_976_710_655,
      "02a40c85b6f28da08dfdbe0926c53fab2de6d28c10301f8f7c4073d5e42e3148"
    ),
    (
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 281_474_976_710_655,
      "7cc854b54e3e0dcdb010d7a3fee464a9687be6e8db3be6854c475621e007a5dc"
    ),
    (
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0xaaa_aaaa_aaaa,
      "56f4008fb007ca9acf0e15b054d5c9fd12ee06cea347914ddbaed70d1c13a528"
    ),
    (
      "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", 0x5555_5555_5555,
      "9015daaeb06dba4ccc05b91b2f73bd54405f2be9f217fbacd3c5ac2e62327d31"
    ),
    (
      "0101010101010101010101010101010101010101010101010101010101010101", 1,
      "915c75942a26bb3a433a8ce2cb0427c29ec6c1775cfc78328b57f6ba7bfeaa9c"
    ),
  ])
  func `Per-commitment secrets are those of BOLT 3's test vectors`(
    seed: String, index: UInt64, secret: String
  ) throws {
    let seed = try #require(Bytes32(hex: seed))
    expect(PerCommitmentSecret.generate(seed: seed, index: index).hex, is: secret)
  }
}
