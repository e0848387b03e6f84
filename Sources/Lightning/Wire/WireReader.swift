import Ground

/// Reads the fields of one message in order. Any bytes give a value or an error, never a trap.
package struct WireReader: FieldCoder {
  private let bytes: [UInt8]
  private var position = 0
  /// The records of the message's end, until they are taken.
  private var stream: RecordStream?

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var isAtEnd: Bool { position == bytes.count }

  package mutating func read<Value: WireCodable>() throws(WireError) -> Value {
    var value = Value.blank
    try field(&value)
    return value
  }

  private mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }

  package mutating func number<Number: FixedWidthInteger>(_ value: inout Number) throws(WireError) {
    value = try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// No leading zeros, so that each value has one encoding.
  package mutating func truncated(_ value: inout UInt64) throws(WireError) {
    guard bytes.count - position <= 8 else { throw .trailingBytes }
    let digits = try take(bytes.count - position)
    guard digits.first != 0 else { throw .numberNotMinimal }
    value = digits.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package mutating func fixed<Value: FixedBytes>(_ value: inout Value) throws(WireError) {
    value = Value(unchecked: Bytes(Array(try take(Value.size))))
  }

  package mutating func bytes32(_ value: inout Bytes32) throws(WireError) {
    value = Bytes32(try take(Bytes32.size)) ?? value
  }

  package mutating func rest(_ value: inout Bytes) throws(WireError) {
    value = Bytes(Array(try take(bytes.count - position)))
  }

  package mutating func counted(_ value: inout Bytes) throws(WireError) {
    let count: UInt16 = try read()
    value = Bytes(Array(try take(Int(count))))
  }

  package mutating func list<Element: WireCodable, Count: FixedWidthInteger>(
    _ elements: inout [Element], count: Count.Type
  ) throws(WireError) {
    var number: Count = 0
    try self.number(&number)
    elements = []
    for _ in 0..<Int(number) { elements.append(try read()) }
  }

  package mutating func require(_ isValid: Bool) throws(WireError) {
    guard isValid else { throw .impossibleValue }
  }

  /// BOLT 1's BigSize; only the shortest form is accepted, so that each value has one encoding.
  package mutating func bigSize() throws(WireError) -> UInt64 {
    let first: UInt8 = try read()
    switch first {
    case 0xfd: return try atLeast(0xfd, UInt64(try read() as UInt16))
    case 0xfe: return try atLeast(0x1_0000, UInt64(try read() as UInt32))
    case 0xff: return try atLeast(0x1_0000_0000, try read())
    default: return UInt64(first)
    }
  }

  private func atLeast(_ minimum: UInt64, _ value: UInt64) throws(WireError) -> UInt64 {
    guard value >= minimum else { throw .numberNotMinimal }
    return value
  }

  package mutating func record<Value: WireCodable>(_ type: UInt64, _ value: inout Value?) throws(WireError) {
    var records = try takeRecords()
    defer { stream = records }
    guard let bytes = records.take(type) else { return value = nil }
    var reader = WireReader(bytes.array)
    guard let read: Value = try? reader.read(), reader.isAtEnd else { throw .malformedRecord(type) }
    value = read
  }

  /// Unknown odd types are kept.
  package mutating func records(_ others: inout RecordStream) throws(WireError) {
    others = try takeRecords()
    if let unknown = others.records.first(where: { $0.type.isMultiple(of: 2) }) {
      throw .unknownEvenRecord(unknown.type)
    }
  }

  /// All remaining bytes, as a TLV stream.
  private mutating func takeRecords() throws(WireError) -> RecordStream {
    if let stream {
      self.stream = nil
      return stream
    }
    var records = RecordStream()
    while !isAtEnd {
      let type = try bigSize()
      if let last = records.records.last, type <= last.type { throw .recordsNotIncreasing }
      let length = try bigSize()
      guard length <= UInt64(bytes.count - position) else { throw .truncated }
      records.append(Record(type: type, value: Bytes(Array(try take(Int(length))))))
    }
    return records
  }
}

/// Writes the fields of one message in order.
package struct WireWriter: FieldCoder {
  package private(set) var bytes: [UInt8] = []
  /// The known records, until the stream is written.
  private var known: [(type: UInt64, value: Bytes?)] = []

  package init() {}

  /// The bytes of one value.
  package static func bytes(of value: some WireCodable) -> [UInt8] {
    var writer = WireWriter()
    writer.write(value)
    return writer.bytes
  }

  package mutating func write(_ value: some WireCodable) {
    var value = value
    field(&value)
  }

  package mutating func number<Number: FixedWidthInteger>(_ value: inout Number) {
    put(value, bytes: Number.bitWidth / 8)
  }

  private mutating func put(_ value: some FixedWidthInteger, bytes count: Int) {
    for position in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * position)))
    }
  }

  package mutating func truncated(_ value: inout UInt64) {
    put(value, bytes: (71 - value.leadingZeroBitCount) / 8)
  }

  package mutating func fixed<Value: FixedBytes>(_ value: inout Value) { rest(value.bytes) }

  package mutating func bytes32(_ value: inout Bytes32) { bytes += value.bytes }

  package mutating func rest(_ value: inout Bytes) { rest(value) }

  private mutating func rest(_ value: Bytes) { bytes += value.array }

  /// Bytes above the limit are cut off; callers refuse a message that reaches it.
  package mutating func counted(_ value: inout Bytes) {
    let part = value.array.prefix(Int(UInt16.max))
    write(UInt16(part.count))
    bytes += part
  }

  package mutating func list<Element: WireCodable, Count: FixedWidthInteger>(
    _ elements: inout [Element], count: Count.Type
  ) {
    let written = elements.prefix(Int(Count.max))
    put(written.count, bytes: Count.bitWidth / 8)
    for element in written { write(element) }
  }

  package mutating func require(_ isValid: Bool) {}

  package mutating func bigSize(_ value: UInt64) {
    switch value {
    case ..<0xfd: write(UInt8(value))
    case ..<0x1_0000:
      write(0xfd as UInt8)
      write(UInt16(value))
    case ..<0x1_0000_0000:
      write(0xfe as UInt8)
      write(UInt32(value))
    default:
      write(0xff as UInt8)
      write(value)
    }
  }

  package mutating func record<Value: WireCodable>(_ type: UInt64, _ value: inout Value?) {
    known.append((type, value.map { Bytes(WireWriter.bytes(of: $0)) }))
  }

  package mutating func records(_ others: inout RecordStream) {
    var all = others
    for record in known { all = all.with(record.type, record.value) }
    known = []
    for record in all.records {
      bigSize(record.type)
      bigSize(UInt64(record.value.count))
      rest(record.value)
    }
  }
}
