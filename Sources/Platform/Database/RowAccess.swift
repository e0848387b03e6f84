/// Reads with SQL: a database, or the part of it available in a transaction.
public protocol RowReader { func rows(_ sql: String, _ values: [SQLValue]) throws -> [Row] }

/// Reads and writes with SQL.
public protocol RowWriter: RowReader { func execute(_ sql: String, _ values: [SQLValue]) throws }

extension RowReader {
  public func firstRow(_ sql: String, _ values: [SQLValue] = []) throws -> Row? {
    try rows(sql, values).first
  }
}

extension RowWriter {
  /// Inserts one row; `columns` are separated by commas, `values` in the same order.
  public func insert(
    into table: String, _ columns: String, _ values: [SQLValue], isReplacing: Bool = false
  ) throws {
    let places = values.map { _ in "?" }.joined(separator: ", ")
    try execute(
      "INSERT\(isReplacing ? " OR REPLACE" : "") INTO \(table) (\(columns)) VALUES (\(places))", values)
  }
}

extension Connection: RowWriter {
  public func rows(_ sql: String, _ values: [SQLValue]) throws -> [Row] {
    try rows(sql, values, rights: .everything)
  }

  public func execute(_ sql: String, _ values: [SQLValue]) throws {
    try execute(sql, values, rights: .everything)
  }
}
