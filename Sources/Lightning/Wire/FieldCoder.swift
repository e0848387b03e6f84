import Ground

/// A value of the wire, whose fields are listed once for reading and writing.
package protocol WireCodable {
  /// What a reader fills.
  static var blank: Self { get }
  mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure)
}

/// Reads or writes fields in their order. A writer leaves the fields as they are.
package protocol FieldCoder {
  associatedtype Failure: Error

  /// Big-endian.
  mutating func number<Number: FixedWidthInteger>(_ value: inout Number) throws(Failure)
  /// BOLT 1's tu64, at the end: as few bytes as the number needs, none for zero.
  mutating func truncated(_ value: inout UInt64) throws(Failure)
  mutating func fixed<Value: FixedBytes>(_ value: inout Value) throws(Failure)
  mutating func bytes32(_ value: inout Bytes32) throws(Failure)
  /// All bytes up to the end.
  mutating func rest(_ value: inout Bytes) throws(Failure)
  /// Bytes after their 16-bit length.
  mutating func counted(_ value: inout Bytes) throws(Failure)
  /// Elements after their number.
  mutating func list<Element: WireCodable, Count: FixedWidthInteger>(
    _ elements: inout [Element], count: Count.Type) throws(Failure)
  /// A reader refuses the value otherwise.
  mutating func require(_ isValid: Bool) throws(Failure)
  /// A known record of the TLV stream. All known records come before `records`.
  mutating func record<Value: WireCodable>(_ type: UInt64, _ value: inout Value?) throws(Failure)
  /// The TLV stream without its known records.
  mutating func records(_ others: inout RecordStream) throws(Failure)
}

extension FieldCoder {
  package mutating func field<Value: WireCodable>(_ value: inout Value) throws(Failure) {
    try value.code(&self)
  }

  mutating func fields<A: WireCodable, B: WireCodable>(_ a: inout A, _ b: inout B) throws(Failure) {
    try field(&a)
    try field(&b)
  }

  mutating func fields<A: WireCodable, B: WireCodable, C: WireCodable>(
    _ a: inout A, _ b: inout B, _ c: inout C
  ) throws(Failure) {
    try fields(&a, &b)
    try field(&c)
  }

  mutating func fields<A: WireCodable, B: WireCodable, C: WireCodable, D: WireCodable>(
    _ a: inout A, _ b: inout B, _ c: inout C, _ d: inout D
  ) throws(Failure) {
    try fields(&a, &b)
    try fields(&c, &d)
  }

  /// A field that another one announces.
  mutating func field<Value: WireCodable>(_ value: inout Value?, isPresent: Bool) throws(Failure) {
    guard isPresent else { return value = nil }
    var present = value ?? .blank
    try field(&present)
    value = present
  }

  /// One byte of an enumeration.
  mutating func choice<Value: RawRepresentable<UInt8>>(_ value: inout Value) throws(Failure) {
    var byte = value.rawValue
    try field(&byte)
    let read = Value(rawValue: byte)
    try require(read != nil)
    value = read ?? value
  }

  /// The two lowest bits of one byte.
  mutating func bits(_ low: inout Bool, _ high: inout Bool) throws(Failure) {
    var byte: UInt8 = (low ? 1 : 0) | (high ? 2 : 0)
    try field(&byte)
    try require(byte < 4)
    low = byte & 1 == 1
    high = byte & 2 == 2
  }

  /// A record without a value.
  mutating func mark(_ type: UInt64, _ isSet: inout Bool) throws(Failure) {
    var mark: RecordMark? = isSet ? .blank : nil
    try record(type, &mark)
    isSet = mark != nil
  }

  /// A TLV stream of which nothing is kept.
  mutating func ignoreRecords() throws(Failure) {
    var ignored = RecordStream()
    try records(&ignored)
  }
}

extension WireCodable where Self: FixedWidthInteger {
  package static var blank: Self { 0 }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.number(&self)
  }
}

extension UInt8: WireCodable {}
extension UInt16: WireCodable {}
extension UInt32: WireCodable {}
extension UInt64: WireCodable {}
extension Int64: WireCodable {}

extension Bool: WireCodable {
  package static var blank: Bool { false }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var byte: UInt8 = self ? 1 : 0
    try coder.field(&byte)
    try coder.require(byte < 2)
    self = byte == 1
  }
}

extension Bytes32: WireCodable {
  package static var blank: Bytes32 { .zero }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.bytes32(&self)
  }
}

extension Bytes: WireCodable {
  package static var blank: Bytes { [] }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.counted(&self)
  }
}

extension WireCodable where Self: FixedBytes {
  package static var blank: Self { .zeros }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.fixed(&self)
  }
}

extension CurvePoint: WireCodable {}
extension OnionPacket: WireCodable {}
extension Signature: WireCodable {}

extension TransactionID: WireCodable {
  package static var blank: TransactionID { TransactionID(hash: .zero) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var hash = hash
    try coder.field(&hash)
    self = TransactionID(hash: hash)
  }
}

extension ContainerID: WireCodable {
  package static var blank: ContainerID { ContainerID(high: 0, low: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&high)
    try coder.field(&low)
  }
}

/// The value of a record that has none.
private struct RecordMark: WireCodable {
  static var blank: RecordMark { RecordMark() }
  mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {}
}

/// All bytes of a record or message without fields.
struct Payload: WireCodable {
  var bytes: Bytes

  static var blank: Payload { Payload(bytes: []) }
  mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) { try coder.rest(&bytes) }
}
