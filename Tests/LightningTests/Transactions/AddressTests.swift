import Ground
import Crypto
import Testing

@testable import Lightning

@Suite("A Bitcoin address")
struct AddressTests {
  private func failure(_ text: String, on network: BitcoinNetwork = .regtest) -> AddressError? {
    do throws(AddressError) {
      _ = try BitcoinAddress(decoding: text, on: network)
      return nil
    } catch { return error }
  }

  /// Both are from Bitcoin's developer pages; the second is the coinbase address of BOLT 3, Appendix G.
  @Test
  func `A Base58 address is read and written; regtest refuses mainnet's, and mainnet refuses testnet's`()
    throws
  {
    let oldest = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
    let key = try BitcoinAddress(decoding: oldest, on: .mainnet)
    #expect(OutputScript(key).bytes.hex == "76a914" + "62e907b15cbf27d5425399ebf6f0fb50ebb88f18" + "88ac")
    #expect(key.text(on: .mainnet) == oldest)
    let coinbase = "2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVCKP8"
    let script = try BitcoinAddress(decoding: coinbase, on: .regtest)
    #expect(OutputScript(script).bytes.hex == "a914" + "113ca7e584fe1575b6fc39abae991529f66eda58" + "87")
    #expect(script.text(on: .testnet) == coinbase)
    #expect(OutputScript(script).address == script)
    #expect(failure(oldest) == .otherNetwork(.mainnet, wanted: .regtest))
    #expect(failure(coinbase, on: .mainnet) == .otherNetwork(.testnet, wanted: .mainnet))
    #expect(failure("2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVCKP9") == .checksumIsWrong)
    #expect(failure("2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVC") == .notAnAddress)
    #expect(failure("2MtpN8zCxTp8AWSg7VBjBX7vU6x73bVCKPO") == .notAnAddress)
    #expect(failure(Base58.encodeChecked([7] + [UInt8](repeating: 1, count: 20))) == .noSuchOutput)
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
      #expect(try BitcoinAddress(decoding: text, on: network) == address)
      let script = OutputScript(address)
      #expect(script.address == address)
      let other: BitcoinNetwork = network == .mainnet ? .regtest : .mainnet
      #expect(
        failure(text, on: other)
          == .otherNetwork(network == .signet ? .testnet : alike(network, version), wanted: other))
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

  @Test
  func `A non-address is refused; the refusal of another network's address names the wanted prefix`() {
    #expect(failure("") == .notAnAddress)
    #expect(failure("lnbcrt1abc") == .notAnAddress)
    #expect(failure(String(repeating: "1", count: 100_000)) == .notAnAddress)
    #expect(failure("bcrt1\u{e9}") == .notAnAddress)
    #expect(failure("bcrt1") == .notAnAddress)
    #expect(
      "\(AddressError.otherNetwork(.mainnet, wanted: .regtest))"
        == "the address is for mainnet, and this wallet is on regtest; ask for one that begins with bcrt1")
  }

  @Test func `BOLT 3, Dust Limits`() {
    func limit(_ version: UInt8, _ size: Int) -> UInt64? {
      BitcoinAddress(version: version, program: [UInt8](repeating: 7, count: size)).flatMap {
        OutputScript($0).dustLimit
      }
    }
    #expect(limit(17, 20) == 546)
    #expect(limit(18, 20) == 540)
    #expect(limit(0, 20) == 294)
    #expect(limit(0, 32) == 330)
    #expect(OutputScript([0x51, 2, 0x4e, 0x73]).dustLimit == 240)
    #expect(limit(1, 2) == 354 && limit(1, 32) == 354 && limit(16, 40) == 354)
    #expect(OutputScript([0x6a, 1, 1]).dustLimit == 0)
    #expect(OutputScript([]).dustLimit == nil && OutputScript([0x51]).dustLimit == nil)
    #expect(OutputScript(Bytes([0, 21] + [UInt8](repeating: 7, count: 21))).dustLimit == nil)
  }
}
