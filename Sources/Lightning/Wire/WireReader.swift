import Ground

/// Reads the fields of one message in order. Any bytes give a value or an error, never a trap.
package struct WireReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var remaining: Int { bytes.count - position }
  package var isAtEnd: Bool { remaining == 0 }

  package mutating func take(_ count: Int) throws(WireError) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  package mutating func takeRest() -> [UInt8] {
    defer { position = bytes.count }
    return Array(bytes[position...])
  }

  package mutating func u8() throws(WireError) -> UInt8 { UInt8(try number(1)) }
  package mutating func u16() throws(WireError) -> UInt16 { UInt16(try number(2)) }
  package mutating func u32() throws(WireError) -> UInt32 { UInt32(try number(4)) }
  package mutating func u64() throws(WireError) -> UInt64 { try number(8) }

  package mutating func containerID() throws(WireError) -> ContainerID {
    ContainerID(high: try u64(), low: try u64())
  }

  private mutating func number(_ count: Int) throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for byte in try take(count) { value = value << 8 | UInt64(byte) }
    return value
  }

  package mutating func bytes32() throws(WireError) -> Bytes32 {
    guard let value = Bytes32(try take(Bytes32.size)) else { throw .truncated }
    return value
  }

  package mutating func fixed<Value: FixedBytes>(_ type: Value.Type) throws(WireError) -> Value {
    Value(unchecked: Bytes(try take(Value.size)))
  }

  /// Bytes after their 16-bit length.
  package mutating func counted() throws(WireError) -> Bytes { Bytes(try take(Int(try u16()))) }

  /// BOLT 1's BigSize; only the shortest form is accepted, so that each value has one encoding.
  package mutating func bigSize() throws(WireError) -> UInt64 {
    let first = try u8()
    switch first {
    case 0xfd: return try atLeast(0xfd, UInt64(try u16()))
    case 0xfe: return try atLeast(0x1_0000, UInt64(try u32()))
    case 0xff: return try atLeast(0x1_0000_0000, try u64())
    default: return UInt64(first)
    }
  }

  private func atLeast(_ minimum: UInt64, _ value: UInt64) throws(WireError) -> UInt64 {
    guard value >= minimum else { throw .numberNotMinimal }
    return value
  }

  /// BOLT 1's tu64, from all remaining bytes: no leading zeros, so that each value has one encoding.
  package mutating func truncatedU64() throws(WireError) -> UInt64 {
    guard remaining <= 8 else { throw .trailingBytes }
    let digits = takeRest()
    guard digits.first != 0 else { throw .numberNotMinimal }
    return digits.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// All remaining bytes, as a TLV stream. Unknown odd types are kept; even types must be in `known`.
  package mutating func records(knowing known: [UInt64] = []) throws(WireError) -> RecordStream {
    var stream = RecordStream()
    var last: UInt64?
    while !isAtEnd {
      let type = try bigSize()
      if let last, type <= last { throw .recordsNotIncreasing }
      guard !type.isMultiple(of: 2) || known.contains(type) else { throw .unknownEvenRecord(type) }
      let length = try bigSize()
      guard length <= UInt64(remaining) else { throw .truncated }
      stream.append(Record(type: type, value: Bytes(try take(Int(length)))))
      last = type
    }
    return stream
  }
}
