import Platform

/// Reads node state inside one transaction. Only the container makes one, and it ends with the transaction: later
/// calls throw.
public final class NodeReader: RowReader {
  private let connection: Connection
  private var isOver = false

  init(_ connection: Connection) { self.connection = connection }

  public func rows(_ sql: String, _ values: [SQLValue] = []) throws -> [Row] {
    try open().rows(sql, values, rights: .reading)
  }

  public func forEachRow(_ sql: String, _ values: [SQLValue] = [], _ body: (Row) throws -> Void) throws {
    try open().forEachRow(sql, values, rights: .reading, body)
  }

  private func open() throws -> Connection {
    guard !isOver else { throw NodeAccessIsOver() }
    return connection
  }

  func end() { isOver = true }
}

/// A reader or writer was used after its transaction.
struct NodeAccessIsOver: Error, CustomStringConvertible {
  var description: String { "the transaction has ended; read and write only inside its closure" }
}
