import CSQLite
import Foundation

/// A database to be filled and changed by SQL.
final class TestDatabase {
  enum Value {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
  }

  struct Failure: Error { let words: String }

  private var handle: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(words: "open \(path)") }
    try execute("PRAGMA foreign_keys = OFF")
    try execute("PRAGMA synchronous = OFF")
  }

  deinit { sqlite3_close(handle) }

  func executeAll(_ script: String) throws {
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw failure(script) }
  }

  func execute(_ sql: String, _ values: [Value] = []) throws { _ = try rows(sql, values) }

  func insert(_ table: String, _ values: [Value]) throws {
    try execute("INSERT INTO \(table) VALUES (\(values.map { _ in "?" }.joined(separator: ", ")))", values)
  }

  @discardableResult func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() { bind(value, statement, Int32(index + 1)) }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { read(statement, $0) })
      case SQLITE_DONE: return rows
      default: throw failure(sql)
      }
    }
  }

  private func bind(_ value: Value, _ statement: OpaquePointer?, _ index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, -1, baton_sqlite_transient())
    case .blob(let bytes):
      sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), baton_sqlite_transient())
    }
  }

  private func read(_ statement: OpaquePointer?, _ index: Int32) -> Value {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_TEXT: return .text(String(cString: sqlite3_column_text(statement, index)))
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, index))
      guard let start = sqlite3_column_blob(statement, index) else { return .blob([]) }
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }

  private func failure(_ sql: String) -> Failure {
    Failure(words: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
  }
}
