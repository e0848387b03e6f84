import Crypto

/// A Bitcoin address; in an invoice, the payee's on-chain fallback.
public struct BitcoinAddress: Hashable, Sendable {
  /// 0 to 16: the witness version; 17: P2PKH; 18: P2SH (BOLT 11's fallback versions).
  public let version: UInt8
  public let program: Bytes

  static let publicKeyHash: UInt8 = 17
  static let scriptHash: UInt8 = 18
  static let hashSize = 20

  /// Nil unless the length is valid: 20 bytes for 17 and 18, 20 or 32 for 0, 2 to 40 for 1 to 16.
  public init?(version: UInt8, program: [UInt8]) {
    switch version {
    case 0: guard program.count == Self.hashSize || program.count == 32 else { return nil }
    case 1...16: guard (2...40).contains(program.count) else { return nil }
    case Self.publicKeyHash, Self.scriptHash: guard program.count == Self.hashSize else { return nil }
    default: return nil
    }
    self.version = version
    self.program = Bytes(program)
  }

  package static func isKnown(version: UInt8) -> Bool { version <= scriptHash }

  /// The address as text.
  public func text(on network: BitcoinNetwork) -> String {
    switch version {
    case Self.publicKeyHash: return Base58.encodeChecked([network.publicKeyHashByte] + program.array)
    case Self.scriptHash: return Base58.encodeChecked([network.scriptHashByte] + program.array)
    default:
      return Bech32.encode(
        prefix: network.addressPrefix, words: [version] + Bech32.words(of: program.array),
        as: version == 0 ? .bech32 : .bech32m)
    }
  }
}

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
    else { throw .noSuchOutput }
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

/// Why a text is not an address that can be paid.
public enum AddressError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case notAnAddress
  case mixedCase
  case checksumIsWrong
  /// `found`: the address's network, if it is known.
  case otherNetwork(BitcoinNetwork?, wanted: BitcoinNetwork)
  /// The checksum is right, but the output type does not exist.
  case noSuchOutput

  public var description: String {
    switch self {
    case .notAnAddress: "this is not a bitcoin address; copy the whole address again, and nothing else"
    case .mixedCase:
      "the address mixes upper and lower case; copy it unchanged"
    case .checksumIsWrong:
      "the checksum of the address is wrong: a character is lost or changed; copy it again"
    case .otherNetwork(let found, let wanted):
      "the address is for \(found?.rawValue ?? "another network"), and this wallet is on \(wanted.rawValue); ask for one that begins with \(wanted.addressPrefix)1"
    case .noSuchOutput: "the address has an output type that does not exist; ask for another one"
    }
  }
}

/// The encoding of legacy addresses.
enum Base58 {
  private static let letters = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

  static let checksumSize = 4

  /// Base58Check: appends the first four bytes of the double hash.
  static func encodeChecked(_ bytes: [UInt8]) -> String { encode(bytes + checksum(bytes)) }

  private static func checksum(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    SHA256.hash(SHA256.hash(bytes).bytes).bytes.prefix(checksumSize)
  }

  /// The bytes without their checksum; nil if it is wrong.
  static func checked(_ bytes: [UInt8]) -> [UInt8]? {
    let payload = Array(bytes.dropLast(checksumSize))
    return checksum(payload) == bytes.suffix(checksumSize) ? payload : nil
  }

  /// Nil if a character is not in the alphabet. Takes quadratic time.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for character in text.utf8 {
      guard var carry = letters.firstIndex(of: character) else { return nil }
      for place in bytes.indices {
        carry += Int(bytes[place]) * 58
        bytes[place] = UInt8(carry & 0xff)
        carry >>= 8
      }
      while carry > 0 {
        bytes.append(UInt8(carry & 0xff))
        carry >>= 8
      }
    }
    let zeros = text.utf8.prefix { $0 == letters[0] }.map { _ in UInt8(0) }
    return zeros + bytes.reversed()
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    var digits: [Int] = []
    for byte in bytes {
      var carry = Int(byte)
      for place in digits.indices {
        carry += digits[place] << 8
        digits[place] = carry % 58
        carry /= 58
      }
      while carry > 0 {
        digits.append(carry % 58)
        carry /= 58
      }
    }
    let zeros = bytes.prefix { $0 == 0 }.map { _ in letters[0] }
    return String(decoding: zeros + digits.reversed().map { letters[$0] }, as: UTF8.self)
  }
}
