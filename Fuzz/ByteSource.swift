import Platform

/// Draws structured values from an input, then zeros. Each value can be written too, for seed inputs.
struct ByteSource {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number() -> UInt64 { (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

  /// A length byte, then as many bytes as are left of that length.
  mutating func counted() -> [UInt8] {
    let count = Int(byte())
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func value() -> SQLValue {
    switch byte() % 6 {
    case 0: .null
    case 1: .integer(Int64(Int8(bitPattern: byte())))
    case 2: .integer(Int64(bitPattern: number()))
    case 3: .text(String(decoding: counted(), as: UTF8.self))
    case 4: .blob(counted())
    default: .real(Double(bitPattern: number()))
    }
  }

  mutating func values(_ count: Int) -> [SQLValue] { (0..<count).map { _ in value() } }

  static func write(_ value: SQLValue) -> [UInt8] {
    switch value {
    case .null: [0]
    case .integer(let number) where Int8(exactly: number) != nil: [1, UInt8(truncatingIfNeeded: number)]
    case .integer(let number): [2] + write(UInt64(bitPattern: number))
    case .text(let text): [3] + write(Array(text.utf8))
    case .blob(let bytes): [4] + write(bytes)
    case .real(let number): [5] + write(number.bitPattern)
    }
  }

  static func write(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  static func write(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
}
