/// The 16 digits of a number's bits.
func hexadecimal(_ bits: Int64) -> String {
  let digits = String(UInt64(bitPattern: bits), radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Nil unless it is pairs of digits and nothing else.
func bytes(ofHexadecimal text: String) -> [UInt8]? {
  var bytes: [UInt8] = []
  var high: UInt8?
  for character in text.utf8 {
    guard let digit = Character(Unicode.Scalar(character)).hexDigitValue.map(UInt8.init) else { return nil }
    if let first = high { bytes.append(first << 4 | digit) }
    high = high == nil ? digit : nil
  }
  return high == nil ? bytes : nil
}

/// Enough to find it again, short enough to be read.
func shortHex(_ bytes: [UInt8]) -> String {
  bytes.count > 8 ? hexadecimal(Array(bytes.prefix(6))) + "…" : hexadecimal(bytes)
}
