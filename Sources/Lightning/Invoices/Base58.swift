import Crypto

/// The oldest form of addresses.
enum Base58 {
  private static let letters = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

  /// With the first four bytes of the hash of the hash behind.
  static func encodeChecked(_ bytes: [UInt8]) -> String {
    encode(bytes + SHA256.hash(SHA256.hash(bytes).bytes).bytes.prefix(4))
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
