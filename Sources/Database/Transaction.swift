import CSQLite

/// How a transaction begins.
public enum TransactionMode: String, Hashable, Sendable {
  /// Takes the write lock at once: what is then read cannot be overtaken by another writer.
  case immediate = "BEGIN IMMEDIATE"
  /// Takes no lock before it needs one: for reading one consistent state.
  case deferred = "BEGIN DEFERRED"
}

extension Connection {
  /// Runs the body in one transaction and commits it; any error rolls everything back and is thrown on.
  ///
  /// An error of the commit itself (a failed sync, say) means *unknown*: after a crash the log may still hold the
  /// whole transaction. Whoever sees one must read again before it believes either.
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
      // SQLite may have rolled back by itself (a full disk); a second time would only hide the first error.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Copies what the log holds into the database, as far as no reader is in the way; waits for nobody.
  public func checkpoint() throws { try execute("PRAGMA wal_checkpoint(PASSIVE)") }
}
