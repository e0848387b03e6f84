import Database
import PostgreSQL

/// Where the ledger's rows are: in a file of lspd's own, or in a database of PostgreSQL. Both take the same SQL.
protocol LedgerDatabase: RowWriter {
  /// Several statements without values.
  func script(_ sql: String) throws
  /// One transaction. Any error rolls it back and is rethrown.
  func atomically<Result>(_ body: () throws -> Result) throws -> Result
}

extension Connection: LedgerDatabase {
  func atomically<Result>(_ body: () throws -> Result) throws -> Result { try transaction(.immediate, body) }
}

extension PostgreSQLConnection: LedgerDatabase {
  func atomically<Result>(_ body: () throws -> Result) throws -> Result { try transaction { try body() } }
}
