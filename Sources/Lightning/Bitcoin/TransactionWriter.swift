/// Writes the parts of a Bitcoin transaction in order.
struct TransactionWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Little-endian.
  mutating func number(_ value: UInt64, _ count: Int) {
    for place in 0..<count { bytes.append(UInt8(value >> UInt64(8 * place) & 0xff)) }
  }

  mutating func compactSize(_ value: Int) {
    let size = CompactSize.size(of: value)
    switch size {
    case 1: break
    case 3: bytes.append(0xfd)
    case 5: bytes.append(0xfe)
    default: bytes.append(0xff)
    }
    number(UInt64(value), max(1, size - 1))
  }

  mutating func counted(_ value: Bytes) {
    compactSize(value.count)
    put(value.array)
  }
}
