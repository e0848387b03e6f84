/// The 16 digits of a number's bits.
func hexadecimal(_ bits: Int64) -> String {
  let digits = String(UInt64(bitPattern: bits), radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Enough to find it again, short enough to be read.
func shortHex(_ bytes: [UInt8]) -> String {
  bytes.count > 8 ? hexadecimal(Array(bytes.prefix(6))) + "…" : hexadecimal(bytes)
}

/// Nil unless it is an even number of hexadecimal digits.
func bytes(ofHexadecimal text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
      let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
    else { return nil }
    bytes.append(UInt8(high << 4 | low))
  }
  return bytes
}
