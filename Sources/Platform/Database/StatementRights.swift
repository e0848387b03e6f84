import CSQLite

/// What a statement may do. SQLite asks for every table that it would use, so no SQL can bypass this.
public enum StatementRights: Hashable, Sendable {
  case everything
  /// Only queries.
  case reading
  /// Queries and changes of rows, except in the named tables; no transactions, no schema, no pragmas.
  case changing(except: Set<String>)

  func allows(action: Int32, table: String?) -> Bool {
    if self == .everything { return true }
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return true
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      guard case .changing(let guarded) = self, let table else { return false }
      // Table names are case-insensitive in SQL; SQLite reports the schema's spelling.
      return !guarded.contains(table.lowercased()) && !table.lowercased().hasPrefix("sqlite_")
    default: return false
    }
  }
}
