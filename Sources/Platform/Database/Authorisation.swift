import CSQLite

/// SQLite's authorizer, called while a statement is prepared: whether the statement may use a table.
final class Authorisation {
  var rights: StatementRights = .everything

  /// The connection owns this object and closes before it, so the pointer stays valid.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, first, _, _, _ in
        guard let context else { return SQLITE_DENY }
        let authorisation = Unmanaged<Authorisation>.fromOpaque(context).takeUnretainedValue()
        // Almost every statement has all rights: skips making the text.
        if authorisation.rights == .everything { return SQLITE_OK }
        let table = first.map { String(cString: $0) }
        return authorisation.rights.allows(action: action, table: table) ? SQLITE_OK : SQLITE_DENY
      },
      Unmanaged.passUnretained(self).toOpaque())
  }
}
