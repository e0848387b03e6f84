import CSQLite

/// Answers SQLite's question, asked while a statement is prepared, whether it may touch a table.
final class Authorisation {
  var rights: StatementRights = .everything

  /// The connection owns this object and closes before it, so the pointer stays good.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, _, _, _ in
        guard let context else { return SQLITE_DENY }
        let authorisation = Unmanaged<Authorisation>.fromOpaque(context).takeUnretainedValue()
        // Almost every statement runs with all rights: no text is made for it.
        if authorisation.rights == .everything { return SQLITE_OK }
        let table = first.map { String(cString: $0) }
        return authorisation.rights.allows(action: action, table: table) ? SQLITE_OK : SQLITE_DENY
      },
      Unmanaged.passUnretained(self).toOpaque())
  }
}
