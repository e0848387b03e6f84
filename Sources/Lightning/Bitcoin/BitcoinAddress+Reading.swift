// From text: BIP 173 and BIP 350, or Base58Check.
extension BitcoinAddress {
  /// BIP 173's limit; every Base58 address is shorter.
  private static let longestText = 90

  public init(decoding text: String, on network: BitcoinNetwork) throws(AddressError) {
    guard text.utf8.count <= Self.longestText else { throw .notAnAddress }
    // No Base58 address begins with one of these prefixes.
    if let separator = text.utf8.lastIndex(of: UInt8(ascii: "1")),
      Self.isPrefix(text[..<separator].lowercased())
    {
      self = try Self.readBech32(text, on: network)
    } else {
      self = try Self.readBase58(text, on: network)
    }
  }

  private static func isPrefix(_ text: String) -> Bool {
    BitcoinNetwork.allCases.contains { $0.addressPrefix == text }
  }

  private static func readBech32(_ text: String, on network: BitcoinNetwork) throws(AddressError) -> Self {
    let (prefix, words, variant) = try bech32(text)
    guard prefix == network.addressPrefix else {
      let found = BitcoinNetwork.allCases.first { $0.addressPrefix == prefix }
      throw .otherNetwork(found, wanted: network)
    }
    guard let version = words.first, version <= 16 else { throw .noSuchOutput }
    guard (variant == .bech32) == (version == 0) else { throw .checksumIsWrong }
    let program = Bech32.bytes(of: words.dropFirst())
    // Otherwise the padding is too long or not zero.
    guard Bech32.words(of: program) == Array(words.dropFirst()),
      let address = Self(version: version, program: program)
    else {
      throw .noSuchOutput
    }
    return address
  }

  private static func bech32(
    _ text: String
  ) throws(AddressError) -> (prefix: String, words: [UInt8], variant: Bech32.Variant) {
    do throws(Bech32Error) {
      return try Bech32.decode(text)
    } catch {
      switch error {
      case .foreignCharacter, .noSeparator, .tooShort: throw .notAnAddress
      case .mixedCase: throw .mixedCase
      case .checksumIsWrong: throw .checksumIsWrong
      }
    }
  }

  private static func readBase58(_ text: String, on network: BitcoinNetwork) throws(AddressError) -> Self {
    guard let bytes = Base58.decode(text), bytes.count == 1 + hashSize + Base58.checksumSize else {
      throw .notAnAddress
    }
    guard let payload = Base58.checked(bytes), let kind = payload.first else { throw .checksumIsWrong }
    let program = Array(payload.dropFirst())
    for candidate in [network] + BitcoinNetwork.allCases {
      let version: UInt8? =
        switch kind {
        case candidate.publicKeyHashByte: publicKeyHash
        case candidate.scriptHashByte: scriptHash
        default: nil
        }
      guard let version, let address = Self(version: version, program: program) else { continue }
      guard candidate == network else { throw .otherNetwork(candidate, wanted: network) }
      return address
    }
    throw .noSuchOutput
  }
}
