import Database

/// A value in PostgreSQL's binary form, with the number of its type.
struct BoundValue {
  /// 0: the statement says which.
  let type: UInt32
  let bytes: [UInt8]?

  init(_ value: SQLValue) {
    switch value {
    case .null: (type, bytes) = (0, nil)
    case .integer(let number): (type, bytes) = (WireType.int8, Self.bigEndian(UInt64(bitPattern: number)))
    case .real(let number): (type, bytes) = (WireType.float8, Self.bigEndian(number.bitPattern))
    case .text(let text):
      // PostgreSQL's text has no zero byte, and a wallet chooses some of the texts.
      (type, bytes) = (WireType.text, Array(text.replacing("\0", with: "\u{FFFD}").utf8))
    case .blob(let blob): (type, bytes) = (WireType.bytea, blob)
    }
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

/// Numbers of `pg_type` that never change.
enum WireType {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let oid: UInt32 = 26
  static let float8: UInt32 = 701
  static let varchar: UInt32 = 1043
  static let name: UInt32 = 19
  static let void: UInt32 = 2278
}
