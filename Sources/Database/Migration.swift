extension Connection {
  /// The number of the schema, which is the number of steps that were run.
  public func schemaVersion() throws -> Int64 { try firstRow("PRAGMA user_version")?.integer(0) ?? 0 }

  /// Brings the schema to the last of the numbered steps. All missing steps, the new number and `afterwards`
  /// (which learns the number before) are one transaction: two processes that start together run each step once.
  public func migrate(steps: [String], afterwards: (_ before: Int64) throws -> Void = { _ in }) throws {
    // Looked at without the write lock first: opening a database that is up to date must not wait for a writer.
    if try checkedVersion(known: steps.count) == Int64(steps.count) { return }
    try transaction(.immediate) {
      let before = try checkedVersion(known: steps.count)
      guard before < Int64(steps.count) else { return }
      if before == 0 { try refuseForeignTables() }
      for step in steps[Int(before)...] { try script(step) }
      try execute("PRAGMA user_version = \(steps.count)")
      try afterwards(before)
    }
  }

  /// A database without a number and with tables is somebody else's: adding ours would spoil it for them.
  private func refuseForeignTables() throws {
    guard let row = try firstRow("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' LIMIT 1")
    else {
      return
    }
    throw DatabaseError(kind: .foreign, database: path, words: "it holds \(try row.text(0))")
  }

  private func checkedVersion(known: Int) throws -> Int64 {
    let found = try schemaVersion()
    guard found <= Int64(known) else {
      throw DatabaseError(
        kind: .schemaFromTheFuture(found: found, known: Int64(known)), database: path, words: "newer schema")
    }
    guard found >= 0 else {
      throw DatabaseError(kind: .wrongValue, database: path, words: "the schema number is \(found)")
    }
    return found
  }
}
