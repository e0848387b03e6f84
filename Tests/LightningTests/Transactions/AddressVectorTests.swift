import Crypto
import Testing

@testable import Lightning

/// BIP 350, "Test vectors for v0-v16 native segregated witness addresses", which replaces that part of BIP 173.
@Suite("BIP 350, native segregated witness addresses")
struct AddressVectorTests {
  private func failure(_ text: String, on network: BitcoinNetwork) -> AddressError? {
    do throws(AddressError) {
      _ = try BitcoinAddress(decoding: text, on: network)
      return nil
    } catch { return error }
  }

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
    #expect(OutputScript(address).bytes.hex == script)
    #expect(OutputScript(address).address == address)
    #expect(address.text(on: network) == text.lowercased())
    #expect(failure(text, on: .regtest) == .otherNetwork(network, wanted: .regtest))
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
    #expect(failure(text, on: text.lowercased().hasPrefix("bc") ? .mainnet : .testnet) == reason)
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
    #expect(variant == .bech32m)
    #expect(Bech32.encode(prefix: prefix, words: words, as: .bech32m) == text.lowercased())
  }

  @Test func `BIP 173, invalid segwit addresses: invalid checksum`() {
    #expect(failure("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", on: .mainnet) == .checksumIsWrong)
  }
}
