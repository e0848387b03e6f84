/// One value as SQLite stores it.
///
/// There are two conventions for unsigned numbers. A number that SQL compares (an epoch) is stored as itself, so it
/// must not exceed `Int64.max`: `SQLValue.unsigned` refuses a greater one. A number that is only stored and read back
/// (an incarnation, half a boot id) is stored as its bit pattern by `SQLValue.bits`, which always fits.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// A number that SQL compares; throws above `Int64.max`.
  public static func unsigned(_ value: UInt64) throws -> SQLValue {
    guard let signed = Int64(exactly: value) else {
      throw DatabaseError(
        kind: .outOfRange, database: "the database", words: "\(value) is above \(Int64.max)")
    }
    return .integer(signed)
  }

  /// A number that is stored and read back, never compared: its bit pattern.
  public static func bits(_ value: UInt64) -> SQLValue { .integer(Int64(bitPattern: value)) }

  var typeName: String {
    switch self {
    case .null: "nothing"
    case .integer: "an integer"
    case .real: "a real number"
    case .text: "text"
    case .blob: "a blob"
    }
  }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(nilLiteral: ()) { self = .null }
}
