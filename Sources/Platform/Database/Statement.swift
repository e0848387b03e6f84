import CSQLite

/// A prepared statement, finalised on deinit.
final class Statement {
  let handle: OpaquePointer
  /// Set while rows are read: the same SQL inside its own result needs another statement.
  var isRunning = false
  private let database: String

  init(_ sql: String, on connection: OpaquePointer, database: String) throws {
    var handle: OpaquePointer?
    var tail: UnsafePointer<CChar>?
    var hasMore = false
    let code = sql.withCString { text in
      let code = sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
      if let tail { hasMore = String(cString: tail).contains { !$0.isWhitespace && $0 != ";" } }
      return code
    }
    guard code == SQLITE_OK else {
      throw DatabaseError(code: code, database: database, words: String(cString: sqlite3_errmsg(connection)))
    }
    guard let handle, !hasMore else {
      sqlite3_finalize(handle)
      throw DatabaseError(
        kind: .misuse(code: SQLITE_MISUSE), database: database, words: "expected one statement: \(sql)")
    }
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLValue]) throws {
    guard Int(sqlite3_bind_parameter_count(handle)) == values.count else {
      throw DatabaseError(
        kind: .misuse(code: SQLITE_RANGE), database: database,
        words: "\(values.count) values for \(sqlite3_bind_parameter_count(handle)) parameters")
    }
    for (offset, value) in values.enumerated() {
      let code = bind(value, at: Int32(offset + 1))
      guard code == SQLITE_OK else {
        throw DatabaseError(code: code, database: database, words: String(cString: sqlite3_errstr(code)))
      }
    }
  }

  private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let number): return sqlite3_bind_int64(handle, index, number)
    case .real(let number): return sqlite3_bind_double(handle, index, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // A null address would bind NULL, so empty text needs a valid address.
          guard let base = characters.baseAddress else {
            return sqlite3_bind_text64(handle, index, "", 0, baton_sqlite_transient(), UInt8(SQLITE_UTF8))
          }
          return sqlite3_bind_text64(
            handle, index, base, UInt64(characters.count), baton_sqlite_transient(), UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
      return sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), baton_sqlite_transient())
    }
  }

  var columns: [String] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }

  var values: [SQLValue] { (0..<sqlite3_column_count(handle)).map(value) }

  private func value(at index: Int32) -> SQLValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      // The text is requested first: only then is its length in UTF-8 bytes.
      guard let text = sqlite3_column_text(handle, index) else { return .text("") }
      let count = Int(sqlite3_column_bytes(handle, index))
      return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(handle, index) else { return .blob([]) }
      return .blob(
        [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, index)))))
    default: return .null
    }
  }

  /// SQLite's virtual machine steps since the last call.
  func takeSteps() -> Int64 { Int64(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}
