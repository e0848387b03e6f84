import Database

extension PostgreSQLConnection {
  /// Copies all tables as of one moment into a new file of SQLite, for programs that read ledgers. The rows of each
  /// wallet are found by an index, as in lspd's own file. The file need not survive a power cut.
  public func copy(toScratch file: Connection) throws {
    try file.execute("PRAGMA synchronous = OFF")
    try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
      let tables = try rows(
        """
        SELECT CAST(table_name AS TEXT) FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1
        """, []
      ).map { try $0.text(0) }
      try file.transaction(.immediate) {
        for table in tables { try copy(table, to: file) }
      }
    }
  }

  private func copy(_ table: String, to file: Connection) throws {
    let columns = try rows(
      """
      SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position
      """, [.text(table)]
    ).map { (name: try $0.text(0), type: try $0.text(1)) }
    // A time is the server's business.
    let kept = columns.filter { !$0.type.hasPrefix("timestamp") }
    let definitions = kept.map { "\(Self.quoted($0.name)) \(Self.type(of: $0.type))" }
    try file.execute("CREATE TABLE \(Self.quoted(table))(\(definitions.joined(separator: ", ")))")
    let names = kept.map { Self.quoted($0.name) }.joined(separator: ", ")
    let places = kept.map { _ in "?" }.joined(separator: ", ")
    let insert = "INSERT INTO \(Self.quoted(table))(\(names)) VALUES (\(places))"
    try forEachRow("SELECT \(names) FROM \(Self.quoted(table))") { row in
      try file.execute(insert, row.values)
    }
    if kept.contains(where: { $0.name == "wallet" }) {
      try file.execute(
        "CREATE INDEX \(Self.quoted("\(table)_of_wallet_copy")) ON \(Self.quoted(table))(wallet)")
    }
  }

  private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  private static func type(of name: String) -> String {
    switch name {
    case "bytea": "BLOB"
    case "text", "character varying": "TEXT"
    default: "INTEGER"
    }
  }
}
