import Crypto
import Ground
import Guardrails
import TestKit

@Suite("The sealed payload of a push") struct PushSealTests {
  private static let receiver = key(7)
  private static let sender = key(9)
  private static let iv = [UInt8](0..<16)
  private static let plain = Array("Hello, secure world!".utf8)

  private static func key(_ number: UInt8) -> PrivateKey {
    PrivateKey(Bytes32([UInt8](repeating: number, count: 32)) ?? .zero)!
  }

  private func sealed(iv: [UInt8] = iv) throws -> SealedPayload {
    try #require(PushSeal.seal(Self.plain, to: Self.receiver.publicKey, ephemeral: Self.sender, iv: iv))
  }

  /// BitkitTests/CryptoTests.swift of github.com/synonymdev/bitkit-ios at 2dcedad801cf72fd2dc539ce7483850d9af6f92b.
  private enum Blocktank {
    static let cipher =
      "l2fInfyw64gO12odo8iipISloQJ45Rc4WjFmpe95brdaAMDq+T/L9ZChcmMCXnR0J6BXd8sSIJe/0bmby8uSZZJuVCzwF76XHfY5oq0Y1/hKzyZTn8nG3dqfiLHnAPy1tZFQfm5ALgjwWnViYJLXoGFpXs7kLMA="
    static let iv = "2b8ed77fd2198e3ed88cfaa794a246e8"
    static let publicKey = "031e9923e689a181a803486b7d8c0d4a5aad360edb70c8bb413a98458d91652213"
    static let tag = "caddd13746d6a6aed16176734964d3a3"
    static let privateKey = "cc74b1a4fdcd35916c766d3318c5a93b7e33a36ebeff0463128bf284975c2680"
    static let plain =
      #"{"source":"blocktank","type":"incomingHtlc","payload":{"secretMessage":"hello"},"createdAt":"2024-09-18T13:33:52.555Z"}"#
  }

  @Test(.shows("B-1.1.4"))
  func `A payload that Blocktank's servers sealed is opened with the wallet's key alone`()
    throws
  {
    let key = try #require(Bytes32(hex: Blocktank.privateKey).flatMap { PrivateKey($0) })
    let sealed = try SealedPayload(
      cipher: Blocktank.cipher, iv: Blocktank.iv, publicKey: Blocktank.publicKey, tag: Blocktank.tag)
    let plain = try PushSeal.open(sealed, with: key)
    expect(String(decoding: plain, as: UTF8.self), is: Blocktank.plain)
    expect(PushReader.readOpened(plain), is: Announcement(kind: .incomingHtlc))
  }

  @Test func `The shared point is that of the real wallet, before and after its hash`() throws {
    let key = try #require(Bytes32(hex: Blocktank.privateKey).flatMap { PrivateKey($0) })
    let server = try #require(PublicKey(hex: Blocktank.publicKey))
    let point = key.sharedPoint(with: server)
    expect(
      Hexadecimal.encode(point), is: "028ce542975d6d7b2307c92e527d507b03ffb3d897eb2e0830d29f40d5efd80ee3")
    expect(SHA256.hash(point), is: key.sharedSecret(with: server))
  }

  @Test(arguments: [12, 13, 16, 17, 40]) func `What is sealed opens, with any vector from 12 bytes up`(
    size: Int
  )
    throws
  {
    let sealed = try sealed(iv: [UInt8](repeating: 5, count: size))
    let read = try SealedPayload(
      cipher: sealed.cipherText, iv: sealed.ivText, publicKey: sealed.publicKey.hex, tag: sealed.tagText)
    expect(read, is: sealed)
    expect(try PushSeal.open(read, with: Self.receiver), is: Self.plain)
  }

  @Test func `An empty text is sealed and opened`() throws {
    let sealed = try #require(
      PushSeal.seal([], to: Self.receiver.publicKey, ephemeral: Self.sender, iv: Self.iv))
    #expect(sealed.cipher.isEmpty)
    expect(try PushSeal.open(sealed, with: Self.receiver), is: [])
  }

  @Test func `A vector of less than 12 bytes is not used`() {
    #expect(
      PushSeal.seal(Self.plain, to: Self.receiver.publicKey, ephemeral: Self.sender, iv: Array(0..<11)) == nil
    )
  }

  @Test(.shows("B-1.1.A3")) func `Each changed bit of cipher, vector or tag, and another key, give no text`()
    throws
  {
    let sealed = try sealed()
    func opens(_ cipher: [UInt8], _ iv: [UInt8], _ tag: [UInt8]) throws(SealError) {
      _ = try PushSeal.open(
        SealedPayload(
          cipher: Base64.encode(cipher), iv: Hexadecimal.encode(iv), publicKey: sealed.publicKey.hex,
          tag: Hexadecimal.encode(tag)), with: Self.receiver)
    }
    for bit in 0..<128 {
      for part in 0..<3 {
        var bytes = [sealed.cipher, sealed.iv, sealed.tag]
        bytes[part][bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(throws: SealError.wrongTag) { try opens(bytes[0], bytes[1], bytes[2]) }
      }
    }
    #expect(throws: SealError.wrongTag) { try PushSeal.open(sealed, with: Self.sender) }
  }

  @Test(
    .shows("B-1.1.A3"),
    arguments: [
      ("A", "00", "02", "00", SealError.cipherIsNoBase64), ("A=", "00", "02", "00", .cipherIsNoBase64),
      ("AA-_", "00", "02", "00", .cipherIsNoBase64), ("AA==", "0", "02", "00", .ivIsNoHexadecimal),
      ("AA==", "0g", "02", "00", .ivIsNoHexadecimal), ("AA==", "0011", "02", "00", .ivTooShort(2)),
      ("AA==", "", "02", "00", .ivTooShort(0)),
      ("AA==", "000102030405060708090a0b", "02", "xx", .tagIsNoHexadecimal),
      ("AA==", "000102030405060708090a0b", "02", "00", .tagOfWrongLength(1)),
      (
        "AA==", "000102030405060708090a0b", "02", "000102030405060708090a0b0c0d0e0f", .noPointOnTheCurve
      ),
      (
        "AA==", "000102030405060708090a0b",
        "020000000000000000000000000000000000000000000000000000000000000005",
        "000102030405060708090a0b0c0d0e0f", .noPointOnTheCurve
      ),
    ]) func `Members that are no base64, no hexadecimal, too short or no point are refused by name`(
      cipher: String, iv: String, publicKey: String, tag: String, error: SealError
    )
  {
    #expect(throws: error) { try SealedPayload(cipher: cipher, iv: iv, publicKey: publicKey, tag: tag) }
    #expect(!error.description.contains("\n"))
  }

  @Test func `Base64 has one text for each value and one value for each text`() {
    let samples = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE="]
    for (plain, text) in samples {
      expect(Base64.encode(Array(plain.utf8)), is: text)
      expect(Base64.decode(text), is: Array(plain.utf8))
    }
    for text in ["Zh==", "Zm9=", "====", "Z===", "Zg=", "Zg", "Zg==Zg==", "Zm 8", "=Zg="] {
      #expect(Base64.decode(text) == nil, "\(text)")
    }
    var generator = SeededGenerator(seed: 3)
    for size in 0..<100 {
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      expect(Base64.decode(Base64.encode(bytes)), is: bytes)
    }
  }
}
