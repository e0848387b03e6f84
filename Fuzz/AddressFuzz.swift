@testable import Lightning

/// An address as a user pastes it. The checksum would stop every guess, so the input is also read with a valid one.
enum AddressFuzz: FuzzTarget {
  static let name = "bitcoin-address"
  static let longestInput = 120

  static var seeds: [[UInt8]] {
    let addresses = [0, 1, 16, 17, 18].compactMap {
      BitcoinAddress(version: $0, program: [UInt8](repeating: 7, count: 20))
    }
    return addresses.flatMap { address in
      BitcoinNetwork.allCases.map { Array(address.text(on: $0).utf8) }
    } + addresses.map { [$0.version] + $0.program.array } + ["BCRT1", "bc1q"].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    read(text(bytes))
    let words = bytes.map { $0 & 31 }
    for variant in [Bech32.Variant.bech32, .bech32m] {
      read(Bech32.encode(prefix: "bcrt", words: words, as: variant))
    }
    read(Base58.encodeChecked(bytes))
  }

  /// An accepted address is encoded as the same, except for case.
  private static func read(_ word: String) {
    for network in BitcoinNetwork.allCases {
      do throws(AddressError) {
        let address = try BitcoinAddress(decoding: word, on: network)
        let written = address.text(on: network)
        promise(written == word || written == word.lowercased(), "an address does not round-trip")
        promise(OutputScript(address).address == address, "an address is not that of its script")
      } catch { promiseOneLine(error.description) }
    }
  }
}
