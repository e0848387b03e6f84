/// Zooko's base 32: five bits a letter, the highest first.
public enum Zbase32 {
  private static let alphabet = Array("ybndrfg8ejkmcpqxot1uwisza345h769".utf8)

  public static func encode(_ bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        letters.append(alphabet[Int(bits >> UInt32(count) & 31)])
      }
      bits &= (1 << UInt32(count)) - 1
    }
    if count > 0 { letters.append(alphabet[Int(bits << UInt32(5 - count) & 31)]) }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Nil for other letters, a letter too many, and bits after the last byte that are not 0: one text for each value.
  public static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for letter in text.utf8 {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
      bits &= (1 << UInt32(count)) - 1
    }
    return count < 5 && bits == 0 ? bytes : nil
  }
}
