import Platform

/// Fault injection: a transaction that has read, and is not finished as long as the process lives. iOS counts it as a
/// lock when it suspends the process.
final class OpenRead {
  private let connection: Connection

  init(database: String) throws {
    connection = try Connection(path: database, access: .readOnly)
    try connection.script("BEGIN; SELECT count(*) FROM sqlite_schema")
  }
}
