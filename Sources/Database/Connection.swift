// Database: a small, careful wrapper of libsqlite3 for every database of the project. It sets what matters for
// durability itself, gives every failure a kind, and never stops the program for what a file holds. It decides
// nothing and knows no tables.

import CSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One connection to one database, used by one thread.
public final class Connection {
  /// What SQLite has allocated in this process, over all connections: mostly pages of its caches, whose size is set.
  public static var allocatedBytes: UInt64 { UInt64(max(0, sqlite3_memory_used())) }

  /// Gives back what the cache of this connection can do without, and says how much that is.
  public func releaseMemory() -> UInt64 {
    let before = Self.allocatedBytes
    sqlite3_db_release_memory(handle)
    return before - min(before, Self.allocatedBytes)
  }

  public enum Access: Hashable, Sendable {
    case readOnly
    /// Fails when the file is not there.
    case readWrite
    case create
  }

  public let path: String
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// What SQLite did for all statements so far, in steps of its machine: the cost of a question on any computer.
  public private(set) var steps: Int64 = 0
  private let statementsMax = 128
  private let authorisation = Authorisation()

  /// Opens with write-ahead log, full durability and foreign keys, and waits for nobody: whoever finds the
  /// database busy says so. `busyTimeoutMs` is for openings at start, before there is an event loop to block.
  public init(path: String, access: Access, busyTimeoutMs: Int32 = 0) throws {
    guard !path.utf8.contains(0) else {
      throw DatabaseError(kind: .cannotOpen, database: path, words: "the path contains a zero byte")
    }
    self.path = path
    let flags: Int32 =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened else {
      let words = opened.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(opened)
      throw DatabaseError(code: code, database: path, words: words)
    }
    handle = opened
    sqlite3_busy_timeout(handle, busyTimeoutMs)
    authorisation.install(on: handle)
    try configure(access)
  }

  deinit {
    statements.removeAll()
    sqlite3_close_v2(handle)
  }

  private func configure(_ access: Access) throws {
    // What a schema from elsewhere may call is limited before anything of it is read.
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA cell_size_check = ON")
    // A mapped file that somebody truncates is a SIGBUS; a read is an error with a kind.
    try execute("PRAGMA mmap_size = 0")
    try execute("PRAGMA cache_size = -256")
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA foreign_keys = ON")
    guard access != .readOnly else { return }
    try execute("PRAGMA synchronous = FULL")
    // On Apple's systems `fsync` leaves what it was given in the disk's own memory: both commits and checkpoints need
    // F_FULLFSYNC there. Systems without it take no notice.
    try execute("PRAGMA fullfsync = ON")
    try execute("PRAGMA checkpoint_fullfsync = ON")
    let mode = try firstRow("PRAGMA journal_mode = WAL")?.text(0) ?? ""
    // A database in memory has no log; it serves tests.
    guard mode == "wal" || mode == "memory" else {
      throw DatabaseError(
        kind: .cannotOpen, database: path, words: "no write-ahead log here, the journal mode stays \(mode)")
    }
  }

  /// How long a busy database is waited for. 0, the default, blocks no event loop.
  public func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
  /// How many rows the last insert, update or delete changed.
  public var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs one statement to its end; rows that it may give are dropped.
  public func execute(
    _ sql: String, _ values: [SQLValue] = [], rights: StatementRights = .everything
  ) throws {
    try run(sql, values, rights: rights) { _ in }
  }

  public func rows(
    _ sql: String, _ values: [SQLValue] = [], rights: StatementRights = .everything
  ) throws -> [Row] {
    var rows: [Row] = []
    try forEachRow(sql, values, rights: rights) { rows.append($0) }
    return rows
  }

  /// Gives the rows one by one, so that a large result never lies in memory as a whole.
  public func forEachRow(
    _ sql: String, _ values: [SQLValue] = [], rights: StatementRights = .everything,
    _ body: (Row) throws -> Void
  ) throws {
    var columns: [String]?
    try run(sql, values, rights: rights) { statement in
      // Asked for at the first row: a changed schema may give a prepared statement other columns.
      let names = columns ?? statement.columns
      columns = names
      try body(Row(columns: names, values: statement.values, database: path))
    }
  }

  /// Runs several statements, separated by semicolons, without values: for schemas.
  public func script(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func run(
    _ sql: String, _ values: [SQLValue], rights: StatementRights, onRow: (Statement) throws -> Void
  ) throws {
    let outer = authorisation.rights
    // A statement may be prepared again in the middle of a step, so the rights hold for the whole run.
    authorisation.rights = rights
    defer { authorisation.rights = outer }
    let statement = try prepared(sql, rights)
    statement.isRunning = true
    defer {
      steps &+= statement.takeSteps()
      statement.reset()
      statement.isRunning = false
    }
    try statement.bind(values)
    while true {
      let code = sqlite3_step(statement.handle)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      authorisation.rights = outer
      try onRow(statement)
      authorisation.rights = rights
    }
  }

  private func prepared(_ sql: String, _ rights: StatementRights) throws -> Statement {
    // Rights are checked while preparing: what one caller prepared must not serve another with fewer rights.
    let key = rights == .everything ? sql : rights == .reading ? "read:" + sql : "change:" + sql
    if let statement = statements[key] {
      if !statement.isRunning { return statement }
      return try Statement(sql, on: handle, database: path)
    }
    let statement = try Statement(sql, on: handle, database: path)
    if statements.count >= statementsMax { statements.removeAll() }
    statements[key] = statement
    return statement
  }

  func error(_ code: Int32) -> DatabaseError {
    var words = String(cString: sqlite3_errmsg(handle))
    // Of a file that could not be opened SQLite's words hide the reason, such as too many open files.
    if code & 0xFF == SQLITE_CANTOPEN {
      let reason = sqlite3_system_errno(handle)
      if reason == EMFILE || reason == ENFILE || !Self.canOpenAFile {
        return DatabaseError(kind: .tooManyFiles, database: path, words: words)
      }
      if reason != 0 { words += ": \(String(cString: strerror(reason)))" }
    }
    return DatabaseError(code: code, database: path, words: words)
  }

  /// SQLite does not keep the reason where the log or its index could not be opened.
  private static var canOpenAFile: Bool {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return errno != EMFILE && errno != ENFILE }
    close(descriptor)
    return true
  }
}
