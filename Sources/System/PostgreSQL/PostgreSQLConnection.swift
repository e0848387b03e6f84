// PostgreSQL: a small wrapper of libpq with the same rows and values as `Database`. Like that it decides nothing and
// knows no tables. For lspd and for readers of its ledger, never for a wallet's process.

import CPostgreSQL
import Database

/// One connection to one database of PostgreSQL, for one thread. Each call waits for the server.
public final class PostgreSQLConnection {
  public enum Purpose: Sendable {
    /// The server ends a transaction that a stopped process left open: its locks would stop the others. A lock is
    /// waited for longer than that. The session of a machine that has vanished ends after 5 s, and its locks with it.
    case serving
    /// Reading all of it takes as long as it takes, and keeps no writer waiting.
    case copying

    fileprivate var settings: [String] {
      switch self {
      case .serving:
        [
          "synchronous_commit=on", "default_transaction_isolation=read\\ committed", "lock_timeout=15s",
          "statement_timeout=60s", "idle_in_transaction_session_timeout=5s", "tcp_keepalives_idle=2",
          "tcp_keepalives_interval=1", "tcp_keepalives_count=3",
          // While data is unacknowledged no keepalive is sent.
          "tcp_user_timeout=5000",
        ]
      case .copying: ["lock_timeout=15s", "statement_timeout=0", "idle_in_transaction_session_timeout=0"]
      }
    }
  }

  private let handle: OpaquePointer
  private var prepared: [String: String] = [:]
  private let preparedMax = 256

  /// `application` is the name that the server shows.
  public init(
    url: String, application: String, for purpose: Purpose = .serving
  ) throws(PostgreSQLError) {
    try Self.check(url)
    let options = purpose.settings.map { "-c \($0)" }.joined(separator: " ")
    guard let handle = baton_pg_connect(url, application, options) else { throw .leftOut }
    self.handle = handle
    guard baton_pg_is_connected(handle) != 0 else { throw .cannotConnect(lastWords) }
  }

  deinit { baton_pg_close(handle) }

  /// Whether it is a URL that a program may be given, without asking a server.
  public static func check(_ url: String) throws(PostgreSQLError) {
    guard baton_pg_is_built() != 0 else { throw .leftOut }
    guard isURL(url), !url.utf8.contains(0) else { throw .badURL }
    switch baton_pg_check(url) {
    case 1: return
    case 2: throw .passwordInURL
    default: throw .badURL
    }
  }

  public static var isBuilt: Bool { baton_pg_is_built() != 0 }

  public static func isURL(_ text: String) -> Bool {
    ["postgresql://", "postgres://"].contains(where: text.hasPrefix)
  }

  private var lastWords: String { Self.line(String(cString: baton_pg_message(handle))) }

  /// libpq's messages have several lines.
  private static func line(_ words: String) -> String {
    words.split(whereSeparator: \.isNewline).joined(separator: "; ").replacing("\t", with: " ")
  }

  // MARK: Statements

  /// Several statements without values, in the project's SQL for schemas.
  public func script(_ sql: String) throws {
    try take(baton_pg_script(handle, Dialect.schema(sql)), baton_pg_clear)
  }

  /// One transaction; any error rolls it back and is rethrown. If the connection is lost during the commit, the outcome
  /// is unknown.
  public func transaction<Result>(
    _ begin: String = "BEGIN", _ body: () throws -> Result
  ) throws -> Result {
    guard baton_pg_is_connected(handle) != 0 else { throw PostgreSQLError.connectionLost(lastWords) }
    guard baton_pg_is_in_transaction(handle) == 0 else {
      throw PostgreSQLError.unfit("a transaction is already open; this is a bug, please report it")
    }
    try command(begin)
    do {
      let result = try body()
      try command("COMMIT")
      return result
    } catch {
      try? command("ROLLBACK")
      throw error
    }
  }

  private func command(_ sql: String) throws { try take(baton_pg_script(handle, sql), baton_pg_clear) }

  private func run(_ sql: String, _ values: [SQLValue]) throws -> [Row] {
    let bound = values.map(BoundValue.init)
    let name = try prepare(sql, bound)
    let lengths = bound.map { Int32(clamping: $0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: bound.count)
    return try withPointers(bound[...], []) { pointers in
      try take(
        baton_pg_run(handle, name, Int32(bound.count), pointers, lengths, formats)
      ) { result in
        defer { baton_pg_clear(result) }
        let reader = ResultReader(result)
        return try (0..<baton_pg_rows(result)).map { try reader.row($0) }
      }
    }
  }

  /// Addresses of all values at once.
  private func withPointers<Result>(
    _ values: ArraySlice<BoundValue>, _ pointers: [UnsafePointer<CChar>?],
    _ body: ([UnsafePointer<CChar>?]) throws -> Result
  ) throws -> Result {
    guard let first = values.first else { return try body(pointers) }
    guard let bytes = first.bytes else { return try withPointers(values.dropFirst(), pointers + [nil], body) }
    return try (bytes + [0]).withUnsafeBytes { buffer in
      try withPointers(
        values.dropFirst(), pointers + [buffer.baseAddress?.assumingMemoryBound(to: CChar.self)], body)
    }
  }

  private func prepare(_ sql: String, _ values: [BoundValue]) throws -> String {
    let key = values.map { "\($0.type)," }.joined() + sql
    if let name = prepared[key] { return name }
    if prepared.count >= preparedMax {
      try command("DEALLOCATE ALL")
      prepared = [:]
    }
    let name = "s\(prepared.count)"
    let types = values.map(\.type)
    try take(
      baton_pg_prepare(handle, name, Dialect.statement(sql), Int32(types.count), types), baton_pg_clear)
    prepared[key] = name
    return name
  }

  /// The rows of a query without values, one by one: a large table is never in memory as a whole.
  public func forEachRow(_ sql: String, _ body: (Row) throws -> Void) throws {
    guard baton_pg_begin_rows(handle, sql) != 0 else { throw failure(of: nil) }
    var problem: (any Error)?
    // All results have to be taken, also after an error.
    while let result = baton_pg_next(handle) {
      defer { baton_pg_clear(result) }
      guard problem == nil else { continue }
      guard baton_pg_is_fine(result) != 0 else {
        problem = failure(of: result)
        continue
      }
      let reader = ResultReader(result)
      do {
        for index in 0..<baton_pg_rows(result) { try body(try reader.row(index)) }
      } catch { problem = error }
    }
    if let problem { throw problem }
  }

  private func take<Value>(_ result: OpaquePointer?, _ read: (OpaquePointer) throws -> Value) throws -> Value
  {
    guard let result, baton_pg_is_fine(result) != 0 else {
      defer { result.map { baton_pg_clear($0) } }
      throw failure(of: result)
    }
    return try read(result)
  }

  private func failure(of result: OpaquePointer?) -> PostgreSQLError {
    guard baton_pg_is_connected(handle) != 0, let result, let state = baton_pg_state(result) else {
      return .connectionLost(lastWords)
    }
    let words = baton_pg_reason(result).map { String(cString: $0) } ?? lastWords
    // 57P: the server ends the session, which libpq notices at the next statement.
    let code = String(cString: state)
    return code.hasPrefix("57P") || code.hasPrefix("25P03")
      ? .connectionLost(Self.line(words)) : .refused(state: code, Self.line(words))
  }
}

extension PostgreSQLConnection: RowWriter {
  public func rows(_ sql: String, _ values: [SQLValue]) throws -> [Row] { try run(sql, values) }

  public func execute(_ sql: String, _ values: [SQLValue]) throws { _ = try run(sql, values) }
}
