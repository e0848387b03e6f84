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
