import CSQLite

/// How a transaction begins.
public enum TransactionMode: String, Hashable, Sendable {
  /// Takes the write lock at once: no other writer can change what is read afterwards.
  case immediate = "BEGIN IMMEDIATE"
  /// Takes no lock before it needs one: for reading one consistent state.
  case deferred = "BEGIN DEFERRED"
}

extension Connection {
  /// Runs the body in one transaction and commits it; any error rolls it back and is rethrown.
  ///
  /// After an error of the commit itself (such as a failed sync) the outcome is *unknown*: after a crash the log may
  /// still have the whole transaction. The caller must read again before it relies on either outcome.
  public func transaction<Result>(_ mode: TransactionMode, _ body: () throws -> Result) throws -> Result {
    guard !isInTransaction else {
      throw DatabaseError(
        kind: .misuse(code: SQLITE_MISUSE), database: path, words: "a transaction is already open")
    }
    try execute(mode.rawValue)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite may have rolled back by itself (a full disk); a second rollback would only hide the first error.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Copies the log into the database, as far as no reader prevents it; never waits. False if it could not copy all: SQLite
  /// says so in the row, not by an error.
  @discardableResult public func checkpoint() throws -> Bool {
    guard let row = try firstRow("PRAGMA wal_checkpoint(PASSIVE)") else { return false }
    return try row.integer(0) == 0 && row.integer(1) == row.integer(2)
  }
}
