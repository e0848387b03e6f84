@testable import Lightning

/// Why the address is refused; nil if it is read.
private func failure(_ text: String, on network: BitcoinNetwork = .regtest) -> AddressError? {
  do throws(AddressError) {
    _ = try BitcoinAddress(decoding: text, on: network)
    return nil
  } catch { return error }
}

@Suite("A Bitcoin address") struct AddressTests {
  /// Both are from Bitcoin's developer pages; the second is the coinbase address of BOLT 3, Appendix G.
  @Test
  func `A Base58 address is read and written; regtest refuses mainnet's, and mainnet refuses testnet's`()
    throws
  {
    let oldest = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
    let key = try BitcoinAddress(decoding: oldest, on: .mainnet)
    expect(OutputScript(key).bytes.hex, is: "76a914" + "62e907b15cbf27d5425399ebf6f0fb50ebb88f18" + "88ac")
    expect(key.text(on: .mainnet), is: oldest)
    let coinbase = "2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVCKP8"
    let script = try BitcoinAddress(decoding: coinbase, on: .regtest)
    expect(OutputScript(script).bytes.hex, is: "a914" + "113ca7e584fe1575b6fc39abae991529f66eda58" + "87")
    expect(script.text(on: .testnet), is: coinbase)
    expect(OutputScript(script).address, is: script)
    expect(failure(oldest), is: .otherNetwork(.mainnet, wanted: .regtest))
    expect(failure(coinbase, on: .mainnet), is: .otherNetwork(.testnet, wanted: .mainnet))
    expect(failure("2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVCKP9"), is: .checksumIsWrong)
    expect(failure("2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVC"), is: .notAnAddress)
    expect(failure("2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVCKPO"), is: .notAnAddress)
    expect(failure(Base58.encodeChecked([7] + [UInt8](repeating: 1, count: 20))), is: .noSuchOutput)
  }

  @Test
  func `An address of any kind and network is read back; regtest refuses mainnet's, and mainnet all others`()
    throws
  {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let version = UInt8(random.below(19))
      let program = (0..<[20, 32, 2, 40, 17][random.below(5)]).map { _ in UInt8(random.below(256)) }
      let network = BitcoinNetwork.allCases[random.below(4)]
      guard let address = BitcoinAddress(version: version, program: program) else { continue }
      let text = address.text(on: network)
      expect(try BitcoinAddress(decoding: text, on: network), is: address)
      let script = OutputScript(address)
      expect(script.address, is: address)
      let other: BitcoinNetwork = network == .mainnet ? .regtest : .mainnet
      expect(
        failure(text, on: other),
        is: .otherNetwork(network == .signet ? .testnet : alike(network, version), wanted: other))
      guard random.oneIn(4) else { continue }
      var wrong = Array(text.utf8)
      wrong[wrong.count - 1 - random.below(6)] ^= 1
      #expect(failure(String(decoding: wrong, as: UTF8.self), on: network) != nil)
    }
  }

  /// The network named for an address: Base58 addresses are the same on all networks but mainnet.
  private func alike(_ network: BitcoinNetwork, _ version: UInt8) -> BitcoinNetwork {
    network != .mainnet && version > 16 ? .testnet : network
  }

  @Test func `A non-address is refused; the refusal of another network's address names the wanted prefix`() {
    expect(failure(""), is: .notAnAddress)
    expect(failure("lnbcrt1abc"), is: .notAnAddress)
    expect(failure(String(repeating: "1", count: 100_000)), is: .notAnAddress)
    expect(failure("bcrt1\u{e9}"), is: .notAnAddress)
    expect(failure("bcrt1"), is: .notAnAddress)
    expect(
      "\(AddressError.otherNetwork(.mainnet, wanted: .regtest))",
      is: "the address is for mainnet, and this wallet is on regtest; ask for one that begins with bcrt1")
  }

  @Test func `BOLT 3, Dust Limits`() {
    func limit(_ version: UInt8, _ size: Int) -> UInt64? {
      BitcoinAddress(version: version, program: [UInt8](repeating: 7, count: size)).flatMap {
        OutputScript($0).dustLimit
      }
    }
    expect(limit(17, 20), is: 546)
    expect(limit(18, 20), is: 540)
    expect(limit(0, 20), is: 294)
    expect(limit(0, 32), is: 330)
    expect(OutputScript([0x51, 2, 0x4e, 0x73]).dustLimit, is: 240)
    #expect(limit(1, 2) == 354 && limit(1, 32) == 354 && limit(16, 40) == 354)
    expect(OutputScript([0x6a, 1, 1]).dustLimit, is: 0)
    #expect(OutputScript([]).dustLimit == nil && OutputScript([0x51]).dustLimit == nil)
    #expect(OutputScript(Bytes([0, 21] + [UInt8](repeating: 7, count: 21))).dustLimit == nil)
  }
}

/// BIP 350, "Test vectors for v0-v16 native segregated witness addresses", which replaces that part of BIP 173.
@Suite("BIP 350, native segregated witness addresses")
struct AddressVectorTests {
  @Test(
    arguments: [
      ("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"),
      (
        "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
        "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"
      ),
      (
        "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
        "5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6"
      ),
      ("BC1SW50QGDZ25J", "6002751e"),
      ("bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "5210751e76e8199196d454941c45d1b3a323"),
      (
        "tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy",
        "0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433"
      ),
      (
        "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c",
        "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433"
      ),
      (
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
        "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
      ),
    ])
  func `valid segwit addresses and the scriptPubKey that they translate to`(text: String, script: String)
    throws
  {
    let network: BitcoinNetwork = text.lowercased().hasPrefix("bc") ? .mainnet : .testnet
    let address = try BitcoinAddress(decoding: text, on: network)
    expect(OutputScript(address).bytes.hex, is: script)
    expect(OutputScript(address).address, is: address)
    expect(address.text(on: network), is: text.lowercased())
    expect(failure(text, on: .regtest), is: .otherNetwork(network, wanted: .regtest))
  }

  @Test(
    arguments: [
      // Invalid human-readable part.
      ("tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut", .notAnAddress),
      // Invalid checksum (Bech32 instead of Bech32m).
      ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", .checksumIsWrong),
      ("tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf", .checksumIsWrong),
      ("BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", .checksumIsWrong),
      // Invalid checksum (Bech32m instead of Bech32).
      ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", .checksumIsWrong),
      ("tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47", .checksumIsWrong),
      // Invalid character in checksum.
      ("bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", .notAnAddress),
      // Invalid witness version.
      ("BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", .noSuchOutput),
      // Invalid program length (1 byte), (41 bytes), for witness version 0.
      ("bc1pw5dgrnzv", .noSuchOutput),
      ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav", .noSuchOutput),
      ("BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", .noSuchOutput),
      // Mixed case.
      ("tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq", .mixedCase),
      // Zero padding of more than 4 bits, and non-zero padding.
      ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf", .noSuchOutput),
      ("tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j", .noSuchOutput),
      // Empty data section.
      ("bc1gmk9yu", .noSuchOutput),
    ] as [(String, AddressError)])
  func `invalid segwit addresses and the reason for their invalidity`(text: String, reason: AddressError) {
    expect(failure(text, on: text.lowercased().hasPrefix("bc") ? .mainnet : .testnet), is: reason)
  }

  @Test(
    arguments: [
      "A1LQFN3A", "a1lqfn3a",
      "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6",
      "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
      "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8",
      "split1checkupstagehandshakeupstreamerranterredcaperredlc445v", "?1v759aa",
    ])
  func `BIP 350, Test vectors for Bech32m: each is decoded and re-encoded`(text: String) throws {
    let (prefix, words, variant) = try Bech32.decode(text)
    expect(variant, is: .bech32m)
    expect(Bech32.encode(prefix: prefix, words: words, as: .bech32m), is: text.lowercased())
  }

  @Test func `BIP 173, invalid segwit addresses: invalid checksum`() {
    expect(failure("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", on: .mainnet), is: .checksumIsWrong)
  }
}
