import Platform

/// Reads and changes node state inside one fenced write. Only the container makes one; it cannot change the tables
/// that guard the node, nor begin or end a transaction: the fence cannot be bypassed.
public final class NodeWriter: RowWriter {
  private let connection: Connection
  private var isOver = false
  private static let rights = StatementRights.changing(except: ContainerSchema.guarded)

  init(_ connection: Connection) { self.connection = connection }

  public func execute(_ sql: String, _ values: [SQLValue] = []) throws {
    try open().execute(sql, values, rights: Self.rights)
  }

  public func rows(_ sql: String, _ values: [SQLValue] = []) throws -> [Row] {
    try open().rows(sql, values, rights: Self.rights)
  }

  public func forEachRow(_ sql: String, _ values: [SQLValue] = [], _ body: (Row) throws -> Void) throws {
    try open().forEachRow(sql, values, rights: Self.rights, body)
  }

  public func changes() throws -> Int { try open().changes }
  public func lastInsertedRowID() throws -> Int64 { try open().lastInsertedRowID }

  private func open() throws -> Connection {
    guard !isOver else { throw NodeAccessIsOver() }
    return connection
  }

  func end() { isOver = true }
}
