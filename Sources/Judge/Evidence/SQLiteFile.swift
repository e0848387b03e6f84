import CSQLite

/// One SQLite database, opened for reading only, inside one read transaction that lasts as long as this object.
final class SQLiteFile {
  private var handle: OpaquePointer?
  let path: String

  /// `isLive` asks SQLite to leave the file as it is; otherwise it is a scratch copy of that `original`, whose log may be
  /// read back. Nobody can do anything about the copy, so that errors name what it is of.
  init(path: String, isLive: Bool, of original: String? = nil) throws(JudgeError) {
    self.path = original ?? path
    let mode = isLive ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK else {
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      handle = nil
      throw .unreadable(path: self.path, reason: reason)
    }
    sqlite3_busy_timeout(handle, 5000)
    for statement in ["PRAGMA trusted_schema = OFF", "PRAGMA query_only = ON", "BEGIN"] {
      guard sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }
  }

  deinit { sqlite3_close_v2(handle) }

  private func failure() -> JudgeError {
    .unreadable(path: path, reason: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "closed")
  }

  func tables() throws(JudgeError) -> [String] {
    var names: [String] = []
    try eachRow("sqlite_schema", statement: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
      (row) throws(JudgeError) in
      names.append(try row.text("name"))
    }
    return names
  }

  func hasTables() throws(JudgeError) -> Bool {
    try !tables().isEmpty
  }

  /// An older program has made the file without some of them.
  func hasTable(_ name: String) throws(JudgeError) -> Bool { try tables().contains(name) }

  func entries<Entry>(
    of table: String, orderedBy order: String, _ make: (SQLiteRow) throws(JudgeError) -> Entry
  ) throws(JudgeError) -> [Entry] {
    var entries: [Entry] = []
    try eachRow(table, statement: "SELECT * FROM \"\(table)\" ORDER BY \(order)") {
      (row) throws(JudgeError) in
      entries.append(try make(row))
    }
    return entries
  }

  /// One row after the other: a table may be larger than memory bears twice.
  func eachRow(
    _ table: String, statement text: String, _ take: (SQLiteRow) throws(JudgeError) -> Void
  ) throws(JudgeError) {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else { throw failure() }
    defer { sqlite3_finalize(statement) }
    let names = (0..<sqlite3_column_count(statement)).map {
      String(cString: sqlite3_column_name(statement, $0))
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        let cells = names.indices.map { Self.cell(statement, Int32($0)) }
        try take(SQLiteRow(path: path, table: table, names: names, cells: cells))
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private static func cell(_ statement: OpaquePointer?, _ index: Int32) -> SQLiteCell {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_NULL: return .null
    case SQLITE_FLOAT: return .text("\(sqlite3_column_double(statement, index))")
    case SQLITE_TEXT: return .text(String(decoding: bytes(statement, index), as: UTF8.self))
    default: return .blob(bytes(statement, index))
    }
  }

  private static func bytes(_ statement: OpaquePointer?, _ index: Int32) -> [UInt8] {
    // The pointer must be fetched before the length: fetching it may convert the value.
    guard let start = sqlite3_column_blob(statement, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index))))
  }
}

enum SQLiteCell: Hashable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
}
