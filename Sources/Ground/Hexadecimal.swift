/// Bytes as text: two lower-case digits each.
public enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes { append(byte, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Sixteen digits.
  public static func encode(word: UInt64) -> String {
    encode(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) })
  }

  /// Appends the two digits, for callers that build text as bytes.
  public static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }

  /// nil for an odd number of digits or another character. Upper and lower case are accepted.
  public static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 2)
    for position in stride(from: 0, to: characters.count, by: 2) {
      guard let high = value(characters[position]), let low = value(characters[position + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
