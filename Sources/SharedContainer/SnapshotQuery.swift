import Platform

/// A query of the wallet, in the snapshot's transaction. Its result is one of the tables, under this name.
public struct SnapshotQuery: Sendable {
  public var name: String
  /// The query is skipped if one of these is missing, as in older schemas and other wallets.
  public var tables: Set<String>
  public var sql: String
  public var values: [SQLValue]

  public init(name: String, tables: Set<String>, sql: String, values: [SQLValue] = []) {
    self.name = name
    self.tables = tables
    self.sql = sql
    self.values = values
  }
}
