import Platform

/// One row, decoded by the names of its columns: `paymentHash` is `payment_hash`.
struct SQLiteRow {
  let path: String
  let table: String
  /// The columns' places, by the names of the properties.
  let places: [String: Int]
  let cells: [SQLValue]

  static func places(of columns: [String]) -> [String: Int] {
    let names = columns.enumerated().map { (property(of: $1), $0) }
    return Dictionary(names) { first, _ in first }
  }

  private static func property(of column: String) -> String {
    let words = column.split(separator: "_")
    return words.dropFirst().reduce(into: String(words.first ?? "")) { name, word in
      name += word == "id" ? "ID" : word.prefix(1).uppercased() + word.dropFirst()
    }
  }

  func decoded<Entry: Decodable>() throws(JudgeError) -> Entry {
    do { return try Entry(from: RowDecoder(row: self)) } catch {
      throw error as? JudgeError ?? .foreign(path: path, reason: "\(error)")
    }
  }

  fileprivate func cell(_ name: String) throws(JudgeError) -> SQLValue {
    guard let place = places[name] else {
      throw .foreign(path: path, reason: "its table \(table) has no column for \(name)")
    }
    return cells[place]
  }

  fileprivate func mismatch(_ name: String, _ what: String) -> JudgeError {
    .foreign(path: path, reason: "in its table \(table) a value of \(name) is not \(what)")
  }
}

/// A part of a row that is a type of its own has the row's columns.
private struct RowDecoder: Decoder {
  let row: SQLiteRow
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowColumns(row: row))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw row.mismatch("a column", "a list") }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw row.mismatch("a column", "a value")
  }
}

private struct RowColumns<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: SQLiteRow
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.places.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.places[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try row.cell(key.stringValue) == .null }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    guard case .integer(let value) = try row.cell(key.stringValue) else {
      throw row.mismatch(key.stringValue, "a number")
    }
    return value
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard case .text(let value) = try row.cell(key.stringValue) else {
      throw row.mismatch(key.stringValue, "text")
    }
    return value
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard type == [UInt8].self else { return try T(from: RowDecoder(row: row)) }
    guard case .blob(let value) = try row.cell(key.stringValue), let bytes = value as? T else {
      throw row.mismatch(key.stringValue, "bytes")
    }
    return bytes
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { RowDecoder(row: row).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try RowDecoder(row: row).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { RowDecoder(row: row) }
  func superDecoder(forKey key: Key) throws -> any Decoder { RowDecoder(row: row) }
}
