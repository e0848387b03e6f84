import Database

/// A question of the wallet's own, asked in the same transaction as everything else of a snapshot. Its answer stands among
/// the tables, under this name.
public struct SnapshotQuery: Sendable {
  public var name: String
  /// It is left out where one of these is not there: older schemas, and wallets of others.
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
