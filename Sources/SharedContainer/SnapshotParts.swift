import Ground
import Platform
import Guardrails

/// The recorded fenced writes of a container.
public struct NodeWrites: Hashable, Sendable {
  /// The number of the last write: numbers have no gaps, and no write is ever removed.
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

/// The state of one lock file, without touching its lock.
public struct LockFacts: Hashable, Sendable {
  public var path: String
  public var exists: Bool
  /// The processes that hold the lock; empty in a copy.
  public var holders: [Int32]
  /// Processes with this container open that hold a lock on a file outside it: their lock file was removed or
  /// replaced.
  public var strays: [Int32]
}

/// One table with its first rows.
public struct TableContents: Hashable, Sendable {
  public var name: String
  public var columns: [String]
  public var rowCount: RowCount
  /// The last rows, if there are more than the limit: the newest are what users look for.
  public var rows: [Row]
}
