// Platform/Database: a small wrapper of libsqlite3 for every database of the project. It sets the durability options, gives
// every error a kind, and never traps on a file's content. It decides nothing and knows no tables.

import CSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One connection to one database, for one thread.
public final class Connection {
  /// The memory that SQLite has allocated in this process, for all connections: mostly page caches, whose size is
  /// limited.
  public static var allocatedBytes: UInt64 { UInt64(max(0, sqlite3_memory_used())) }

  /// Frees what this connection's cache does not need, and returns how much.
  public func releaseMemory() -> UInt64 {
    let before = Self.allocatedBytes
    sqlite3_db_release_memory(handle)
    return before - min(before, Self.allocatedBytes)
  }

  public enum Access: Hashable, Sendable {
    /// May write its mark as a reader into the shared memory (-shm).
    case readOnly
    /// As `readOnly`, without any write, also in the shared memory: only while another process has the database open.
    case untouched
    /// No lock, no write and no file beside the database, which no process has open; the caller checks that none opens
    /// it meanwhile. Without a log (-wal) SQLite would create one, so it must be told.
    case alone(hasLog: Bool)
    /// Fails when the file is missing.
    case readWrite
    case create

    /// SQLite's URI parameters; nil for a plain path.
    fileprivate var parameters: String? {
      switch self {
      case .untouched: "readonly_shm=1"
      case .alone(let hasLog): hasLog ? "vfs=unix-none" : "immutable=1"
      case .readOnly, .readWrite, .create: nil
      }
    }
  }

  public let path: String
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  /// SQLite's virtual machine steps for all statements so far: the cost of a query on any computer.
  public private(set) var steps: Int64 = 0
  private let statementsMax = 128
  private let authorisation = Authorisation()

  /// Opens with write-ahead log, full durability and foreign keys, and never waits: a busy database is an error.
  /// `busyTimeoutMs` is for opening at start, before an event loop runs that it could block.
  public init(path: String, access: Access, busyTimeoutMs: Int32 = 0) throws {
    guard !path.utf8.contains(0) else {
      throw DatabaseError(kind: .cannotOpen, database: path, words: "the path contains a zero byte")
    }
    self.path = path
    let flags: Int32 =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .untouched, .alone: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    Self.followFullDisk
    var opened: OpaquePointer?
    let name = access.parameters.map { "file:\(Self.escaped(path))?mode=ro&\($0)" } ?? path
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
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

  /// Once in each process.
  private static let followFullDisk: Void = baton_sqlite_follow_full_disk()

  private func configure(_ access: Access) throws {
    if case .alone(hasLog: true) = access {
      // Before the first read: in this mode the log's index lies in this process's memory. Without the second call the
      // log's pages would be written into the database at the end.
      try execute("PRAGMA locking_mode = EXCLUSIVE")
      guard baton_sqlite_keep_log_on_close(handle) == SQLITE_OK else {
        throw DatabaseError(kind: .cannotOpen, database: path, words: "SQLite would change its log")
      }
    }
    // Limits what a foreign schema may call, before any of it is read.
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA cell_size_check = ON")
    // If a mapped file is truncated, access is a SIGBUS; a read is an error with a kind.
    try execute("PRAGMA mmap_size = 0")
    try execute("PRAGMA cache_size = -256")
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA foreign_keys = ON")
    switch access {
    case .readOnly, .untouched, .alone: return
    case .readWrite, .create: break
    }
    try execute("PRAGMA synchronous = FULL")
    // On Apple's systems `fsync` leaves data in the disk's cache: commits and checkpoints need F_FULLFSYNC. Other
    // systems ignore it.
    try execute("PRAGMA fullfsync = ON")
    try execute("PRAGMA checkpoint_fullfsync = ON")
    let mode = try firstRow("PRAGMA journal_mode = WAL")?.text(0) ?? ""
    // An in-memory database has no log; only tests use one.
    guard mode == "wal" || mode == "memory" else {
      throw DatabaseError(
        kind: .cannotOpen, database: path, words: "no write-ahead log here, the journal mode stays \(mode)")
    }
  }

  /// A path in a URI: all but letters, digits and `/-._~` as `%XX`.
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      let isPlain =
        byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
      if isPlain || "/-._~".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  /// How long to wait for a busy database. 0, the default, never blocks an event loop.
  public func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
  /// How many rows the last insert, update or delete changed.
  public var changes: Int { Int(sqlite3_changes(handle)) }

  /// Runs one statement to completion; its rows are discarded.
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

  /// Passes the rows one by one, so that a large result is never in memory as a whole.
  public func forEachRow(
    _ sql: String, _ values: [SQLValue] = [], rights: StatementRights = .everything,
    _ body: (Row) throws -> Void
  ) throws {
    var columns: [String]?
    try run(sql, values, rights: rights) { statement in
      // Read at the first row: after a schema change a prepared statement may have other columns.
      let names = columns ?? statement.columns
      columns = names
      try body(Row(columns: names, values: statement.values, database: path))
    }
  }

  /// Runs several statements without values, separated by semicolons: for schemas.
  public func script(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func run(
    _ sql: String, _ values: [SQLValue], rights: StatementRights, onRow: (Statement) throws -> Void
  ) throws {
    let outer = authorisation.rights
    // SQLite may prepare a statement again during a step, so the rights apply to the whole run.
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
    // Rights are checked when a statement is prepared, so it must not be reused with fewer rights.
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
    // For a file that cannot be opened SQLite's message hides the reason, such as too many open files.
    if code & 0xFF == SQLITE_CANTOPEN {
      let reason = sqlite3_system_errno(handle)
      if reason == EMFILE || reason == ENFILE || !Self.canOpenAFile {
        return DatabaseError(kind: .tooManyFiles, database: path, words: words)
      }
      if reason != 0 { words += ": \(String(cString: strerror(reason)))" }
    }
    return DatabaseError(code: code, database: path, words: words)
  }

  /// SQLite does not keep the reason if its log or index could not be opened.
  private static var canOpenAFile: Bool {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { return errno != EMFILE && errno != ENFILE }
    close(descriptor)
    return true
  }
}
