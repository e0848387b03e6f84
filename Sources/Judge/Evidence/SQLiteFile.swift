import Database

/// One SQLite database in a read transaction that lasts as long as this object.
final class SQLiteFile {
  private let connection: Connection
  private let path: String

  /// `isLive` opens the file read-only; otherwise it is a scratch copy, whose log SQLite may apply. Errors name the
  /// `original`, not the copy.
  init(path: String, isLive: Bool, of original: String) throws(JudgeError) {
    self.path = original
    do {
      connection = try Connection(path: path, access: isLive ? .readOnly : .readWrite, busyTimeoutMs: 5000)
      try connection.execute("PRAGMA query_only = ON")
      try connection.execute("BEGIN")
    } catch { throw Self.judged(error, original) }
  }

  private static func judged(_ error: any Error, _ path: String) -> JudgeError {
    guard let error = error as? DatabaseError else {
      return error as? JudgeError ?? .unreadable(path: path, reason: "\(error)")
    }
    return [.corrupt, .notADatabase, .lacksAPart].contains(error.kind)
      ? .damaged(path: path, reason: error.words) : .unreadable(path: path, reason: error.words)
  }

  func tables() throws(JudgeError) -> [String] {
    var names: [String] = []
    try eachRow("sqlite_schema", statement: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
      (row) throws(JudgeError) in
      names.append(try row.text("name"))
    }
    return names
  }

  private func columns(of table: String) throws(JudgeError) -> [String] {
    var names: [String] = []
    try eachRow(table, statement: "PRAGMA table_info(\"\(table)\")") { (row) throws(JudgeError) in
      names.append(try row.text("name"))
    }
    return names
  }

  /// Of a ledger: only the rows of this wallet. A table without the column is of the first wallet, or of all.
  func entries<Entry>(
    of table: String, orderedBy order: String, wallet: Int64? = nil,
    _ make: (SQLiteRow) throws(JudgeError) -> Entry
  ) throws(JudgeError) -> [Entry] {
    var condition = ""
    if let wallet, try columns(of: table).contains("wallet") {
      condition = " WHERE wallet = \(wallet)"
    }
    var entries: [Entry] = []
    try eachRow(table, statement: "SELECT * FROM \"\(table)\"\(condition) ORDER BY \(order)") {
      (row) throws(JudgeError) in
      entries.append(try make(row))
    }
    return entries
  }

  /// Row by row: two copies of a table may not fit into memory.
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
