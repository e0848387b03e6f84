import Ground
import Database
import Guardrails

/// The fenced writes that a container remembers.
public struct NodeWrites: Hashable, Sendable {
  /// The number of the last: they are numbered without gaps, and none is ever removed.
  public var count: Int64
  public var last: NodeWrite?
}

/// One fenced write.
public struct NodeWrite: Hashable, Sendable {
  public var id: Int64
  public var epoch: Epoch
  public var incarnation: UInt64
  public var what: String
  public var atMonotonic: Instant
}

/// One lock file, looked at without touching its lock.
public struct LockFacts: Hashable, Sendable {
  public var path: String
  public var exists: Bool
  /// The processes that hold it; empty in a copy.
  public var holders: [Int32]
  /// Of those who use this container, who holds a lock on a file that is none of its any more: it was removed or replaced
  /// under them.
  public var strays: [Int32]
}

/// One table with its first rows.
public struct TableContents: Hashable, Sendable {
  public var name: String
  public var columns: [String]
  public var rowCount: RowCount
  /// The last ones, if there are more than were asked for: what has just happened is what people look for.
  public var rows: [Row]

  public init(name: String, columns: [String], rowCount: RowCount, rows: [Row]) {
    self.name = name
    self.columns = columns
    self.rowCount = rowCount
    self.rows = rows
  }
}
