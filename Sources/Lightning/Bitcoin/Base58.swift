import Crypto

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
