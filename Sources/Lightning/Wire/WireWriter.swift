import Ground

/// Writes the fields of one message in order.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func put(_ more: [UInt8]) { bytes.append(contentsOf: more) }
  package mutating func put(_ value: Bytes32) { bytes.append(contentsOf: value.bytes) }
  package mutating func put(_ value: some FixedBytes) { bytes.append(contentsOf: value.bytes.array) }

  package mutating func u8(_ value: UInt8) { bytes.append(value) }
  package mutating func u16(_ value: UInt16) { number(UInt64(value), 2) }
  package mutating func u32(_ value: UInt32) { number(UInt64(value), 4) }
  package mutating func u64(_ value: UInt64) { number(value, 8) }

  package mutating func containerID(_ id: ContainerID) {
    u64(id.high)
    u64(id.low)
  }

  private mutating func number(_ value: UInt64, _ count: Int) {
    for position in (0..<count).reversed() { bytes.append(UInt8(value >> UInt64(8 * position) & 0xff)) }
  }

  /// Bytes after their 16-bit length. Bytes above the limit are cut off; callers refuse a message that reaches it.
  package mutating func counted(_ value: Bytes) {
    let part = value.array.prefix(Int(UInt16.max))
    u16(UInt16(part.count))
    bytes.append(contentsOf: part)
  }

  package mutating func bigSize(_ value: UInt64) {
    switch value {
    case ..<0xfd: u8(UInt8(value))
    case ..<0x1_0000:
      u8(0xfd)
      u16(UInt16(value))
    case ..<0x1_0000_0000:
      u8(0xfe)
      u32(UInt32(value))
    default:
      u8(0xff)
      u64(value)
    }
  }

  /// BOLT 1's tu64: as few bytes as the number needs, none for zero.
  package mutating func truncatedU64(_ value: UInt64) { number(value, (71 - value.leadingZeroBitCount) / 8) }

  package mutating func records(_ stream: RecordStream) {
    for record in stream.records {
      bigSize(record.type)
      bigSize(UInt64(record.value.count))
      put(record.value.array)
    }
  }
}
