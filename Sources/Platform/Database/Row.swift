import Ground

/// One row of a result. Every access is checked: a database may come from anywhere, and its content must never trap.
public struct Row: Hashable, Sendable {
  public let columns: [String]
  public let values: [SQLValue]
  let database: String

  public init(columns: [String], values: [SQLValue], database: String) {
    self.columns = columns
    self.values = values
    self.database = database
  }

  public func value(_ index: Int) throws -> SQLValue {
    guard values.indices.contains(index) else {
      throw DatabaseError(kind: .wrongValue, database: database, words: "a row has no column \(index)")
    }
    return values[index]
  }

  public func isNull(_ index: Int) throws -> Bool { try value(index) == .null }

  public func integer(_ index: Int) throws -> Int64 {
    guard case .integer(let number) = try value(index) else { throw mismatch(index, "an integer") }
    return number
  }

  /// A number stored as itself (`SQLValue.unsigned`); throws if negative.
  public func unsigned(_ index: Int) throws -> UInt64 {
    guard let number = UInt64(exactly: try integer(index)) else {
      throw mismatch(index, "a number from 0 up")
    }
    return number
  }

  /// A number stored as its bit pattern (`SQLValue.bits`).
  public func bits(_ index: Int) throws -> UInt64 { UInt64(bitPattern: try integer(index)) }

  public func int32(_ index: Int) throws -> Int32 {
    guard let number = Int32(exactly: try integer(index)) else { throw mismatch(index, "a 32-bit integer") }
    return number
  }

  public func text(_ index: Int) throws -> String {
    guard case .text(let text) = try value(index) else { throw mismatch(index, "text") }
    return text
  }

  public func blob(_ index: Int) throws -> [UInt8] {
    guard case .blob(let bytes) = try value(index) else { throw mismatch(index, "a blob") }
    return bytes
  }

  public func optionalInteger(_ index: Int) throws -> Int64? { try isNull(index) ? nil : integer(index) }
  public func optionalUnsigned(_ index: Int) throws -> UInt64? { try isNull(index) ? nil : unsigned(index) }
  public func optionalText(_ index: Int) throws -> String? { try isNull(index) ? nil : text(index) }
  public func optionalBlob(_ index: Int) throws -> [UInt8]? { try isNull(index) ? nil : blob(index) }

  /// The error for a column with another type or value than expected.
  public func mismatch(_ index: Int, _ expected: String) -> DatabaseError {
    let name = columns.indices.contains(index) ? columns[index] : "\(index)"
    let found = values.indices.contains(index) ? values[index].typeName : "nothing"
    return DatabaseError(
      kind: .wrongValue, database: database, words: "column \(name) holds \(found), expected \(expected)")
  }
}

extension Row {
  /// By members with the names of the columns; `complete` changes them, or adds those that are no columns.
  public func decoded<Value: Decodable>(
    _ complete: (inout [String: JSONValue]) throws -> Void = { _ in }
  ) throws -> Value {
    var members = Dictionary(zip(columns, values.map(\.json))) { first, _ in first }
    try complete(&members)
    let object = JSONValue.object(members.map { JSONMember(key: $0.key, value: $0.value) })
    return try JSONLineDecoder(names: .snakeCase).decode(Value.self, from: object)
  }
}

extension SQLValue {
  /// Bytes as hexadecimal digits.
  fileprivate var json: JSONValue {
    switch self {
    case .integer(let number): .number("\(number)")
    case .text(let text): .string(text)
    case .blob(let bytes): .string(Hexadecimal.encode(bytes))
    case .real(let number): .number("\(number)")
    case .null: .null
    }
  }
}
