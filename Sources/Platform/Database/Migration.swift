extension Connection {
  /// The schema version: the number of steps that were run.
  public func schemaVersion() throws -> Int64 { try firstRow("PRAGMA user_version")?.integer(0) ?? 0 }

  /// Migrates the schema to the last of the numbered steps. All missing steps, the new version and `afterwards` (with
  /// the old version) are one transaction: if two processes start together, each step runs once.
  public func migrate(steps: [String], afterwards: (_ before: Int64) throws -> Void = { _ in }) throws {
    // Checked without the write lock first: opening an up-to-date database must not wait for a writer.
    if try checkedVersion(known: steps.count) == Int64(steps.count) { return }
    try transaction(.immediate) {
      let before = try checkedVersion(known: steps.count)
      guard before < Int64(steps.count) else { return }
      if before == 0 { try refuseForeignTables() }
      for step in steps[Int(before)...] { try run(step, after: before) }
      try execute("PRAGMA user_version = \(steps.count)")
      try afterwards(before)
    }
  }

  /// A database without a version but with tables is another program's: ours must not be added.
  private func refuseForeignTables() throws {
    guard let row = try firstRow("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' LIMIT 1")
    else { return }
    throw DatabaseError(kind: .foreign, database: path, words: "it holds \(try row.text(0))")
  }

  /// A step that has run already fails: then the number is damaged.
  private func run(_ step: String, after version: Int64) throws {
    do {
      try script(step)
    } catch let error as DatabaseError {
      guard version > 0, case .misuse = error.kind else { throw error }
      throw DatabaseError(
        kind: .wrongValue, database: path,
        words: "the schema number is \(version), but its tables are of a later one: \(error.words)")
    }
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
