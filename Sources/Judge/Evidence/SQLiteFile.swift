import Database

/// One SQLite database, read inside one read transaction that lasts as long as this object.
final class SQLiteFile {
  private let connection: Connection
  private let path: String

  /// `isLive` asks SQLite to leave the file as it is; otherwise it is a scratch copy of that `original`, whose log
  /// may be read back. Nobody can do anything about the copy, so that errors name what it is of.
  init(path: String, isLive: Bool, of original: String) throws(JudgeError) {
    self.path = original
    do {
      connection = try Connection(path: path, access: isLive ? .readOnly : .readWrite, busyTimeoutMs: 5000)
      try connection.execute("PRAGMA query_only = ON")
      try connection.execute("BEGIN")
    } catch { throw Self.judged(error, original) }
  }

  private static func judged(_ error: any Error, _ path: String) -> JudgeError {
    error as? JudgeError ?? .unreadable(path: path, reason: (error as? DatabaseError)?.words ?? "\(error)")
  }

  func tables() throws(JudgeError) -> [String] {
    var names: [String] = []
    try eachRow("sqlite_schema", statement: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
      (row) throws(JudgeError) in
      names.append(try row.text("name"))
    }
    return names
  }

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
    _ table: String, statement: String, _ take: (SQLiteRow) throws(JudgeError) -> Void
  ) throws(JudgeError) {
    do {
      try connection.forEachRow(statement) { row in
        try take(SQLiteRow(path: path, table: table, names: row.columns, cells: row.values))
      }
    } catch { throw Self.judged(error, path) }
  }
}
