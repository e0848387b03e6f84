/// Text of BIP 173 and BIP 350: a human-readable prefix, `1`, words of five bits, and a checksum of six words.
/// Without a length limit, as in BOLT 11.
package enum Bech32 {
  /// The checksum's constant: for invoices and version 0 addresses, and for later addresses.
  package enum Variant: UInt32 {
    case bech32 = 1
    case bech32m = 0x2bc8_30a3
  }

  private static let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let checksumSize = 6
  private static let wordOfLetter: [UInt8?] = {
    var words = [UInt8?](repeating: nil, count: 128)
    for (word, letter) in letters.enumerated() { words[Int(letter)] = UInt8(word) }
    return words
  }()

  package static func letter(_ word: UInt8) -> Character {
    Character(Unicode.Scalar(letters[Int(word & 31)]))
  }

  /// The prefix must be in lower case, and the words below 32.
  package static func encode(prefix: String, words: [UInt8], as variant: Variant = .bech32) -> String {
    let base = spread(prefix.utf8) + words
    let rest = remainder(of: base + [UInt8](repeating: 0, count: checksumSize)) ^ variant.rawValue
    let checksum = (0..<checksumSize).map { UInt8(rest >> UInt32(5 * (checksumSize - 1 - $0)) & 31) }
    return prefix + "1" + String(decoding: (words + checksum).map { letters[Int($0 & 31)] }, as: UTF8.self)
  }

  /// The prefix in lower case, the words without the checksum, and its variant.
  package static func decode(
    _ text: String
  ) throws(Bech32Error) -> (prefix: String, words: [UInt8], variant: Variant) {
    let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard text.utf8.allSatisfy({ (33...126).contains($0) }) else { throw .foreignCharacter }
    let hasUpper = text.utf8.contains { upper.contains($0) }
    guard !hasUpper || !text.utf8.contains(where: { lower.contains($0) }) else { throw .mixedCase }
    let characters = text.utf8.map { upper.contains($0) ? $0 | 0x20 : $0 }
    guard let separator = characters.lastIndex(of: UInt8(ascii: "1")), separator > 0 else {
      throw .noSeparator
    }
    var words: [UInt8] = []
    words.reserveCapacity(characters.count - separator)
    for character in characters[(separator + 1)...] {
      guard let word = wordOfLetter[Int(character)] else { throw .foreignCharacter }
      words.append(word)
    }
    guard words.count >= checksumSize else { throw .tooShort }
    let prefix = characters[..<separator]
    guard let variant = Variant(rawValue: remainder(of: spread(prefix) + words)) else {
      throw .checksumIsWrong
    }
    return (String(decoding: prefix, as: UTF8.self), words.dropLast(checksumSize), variant)
  }

  private static func spread(_ prefix: some Collection<UInt8>) -> [UInt8] {
    prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 }
  }

  private static func remainder(of words: [UInt8]) -> UInt32 {
    let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    var rest: UInt32 = 1
    for word in words {
      let top = rest >> 25
      rest = (rest & 0x1ff_ffff) << 5 ^ UInt32(word)
      for (bit, value) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 { rest ^= value }
    }
    return rest
  }
}

// Words of five bits, the highest bit first.
extension Bech32 {
  /// The bytes, padded with zeros to a whole word.
  package static func words(of bytes: some Sequence<UInt8>) -> [UInt8] {
    var words: [UInt8] = []
    var kept: UInt32 = 0
    var count = 0
    for byte in bytes {
      kept = kept << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        words.append(UInt8(kept >> UInt32(count) & 31))
      }
    }
    if count > 0 { words.append(UInt8(kept << UInt32(5 - count) & 31)) }
    return words
  }

  /// The whole bytes in these words; the remaining bits are padding.
  package static func bytes(of words: some Sequence<UInt8>) -> [UInt8] { pack(words).bytes }

  /// The bytes with the remaining bits as one more byte, padded with zeros: BOLT 11 signs these.
  package static func paddedBytes(of words: some Sequence<UInt8>) -> [UInt8] {
    let (bytes, left) = pack(words)
    return left.map { bytes + [$0] } ?? bytes
  }

  private static func pack(_ words: some Sequence<UInt8>) -> (bytes: [UInt8], left: UInt8?) {
    var bytes: [UInt8] = []
    var kept: UInt32 = 0
    var count = 0
    for word in words {
      kept = kept << 5 | UInt32(word & 31)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(kept >> UInt32(count) & 0xff))
      }
    }
    return (bytes, count > 0 ? UInt8(kept << UInt32(8 - count) & 0xff) : nil)
  }
}

/// Why a text is not Bech32 (BIP 173).
package enum Bech32Error: Error, Hashable {
  case foreignCharacter
  case mixedCase
  case noSeparator
  case tooShort
  case checksumIsWrong
}
