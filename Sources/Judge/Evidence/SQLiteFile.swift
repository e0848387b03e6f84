import Platform

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

  private struct Named: Decodable {
    let name: String
  }

  func tables() throws(JudgeError) -> [String] {
    try rows(of: "sqlite_schema", where: "type = 'table'", by: "name") { (row: Named) in row.name }
  }

  /// Of a ledger: only the rows of this wallet. A table without the column is of the first wallet, or of all.
  func rows<Entry: Decodable, Value>(
    of table: String, columns: String = "*", where condition: String = "TRUE", by order: String,
    wallet: Int64? = nil, _ make: (Entry) -> Value
  ) throws(JudgeError) -> [Value] {
    var condition = condition
    if let wallet, try hasWallets(table) {
      // The second half is what the index of the other wallets' rows needs.
      condition += " AND wallet = \(wallet)" + (wallet == 1 ? "" : " AND wallet <> 1")
    }
    var values: [Value] = []
    let statement = "SELECT \(columns) FROM \"\(table)\" WHERE \(condition) ORDER BY \(order)"
    try eachRow(table, statement: statement) { (row) throws(JudgeError) in
      values.append(make(try row.decoded()))
    }
    return values
  }

  private func hasWallets(_ table: String) throws(JudgeError) -> Bool {
    var found = false
    try eachRow(table, statement: "PRAGMA table_info(\"\(table)\")") { (row) throws(JudgeError) in
      let column: Named = try row.decoded()
      found = found || column.name == "wallet"
    }
    return found
  }

  func eachRow(
    _ table: String, statement: String, _ take: (SQLiteRow) throws(JudgeError) -> Void
  ) throws(JudgeError) {
    var places: [String: Int]?
    do {
      try connection.forEachRow(statement) { row in
        let known = places ?? SQLiteRow.places(of: row.columns)
        places = known
        try take(SQLiteRow(path: path, table: table, places: known, cells: row.values))
      }
    } catch { throw Self.judged(error, path) }
  }
}
