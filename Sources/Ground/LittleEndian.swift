/// Numbers in bytes, the lowest byte first.
extension [UInt8] {
  package mutating func append(littleEndian value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: type(of: value).bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  package func littleEndian(at offset: Int, bytes count: Int = 8) -> UInt64 {
    self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
