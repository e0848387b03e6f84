import Ground
import Platform
import Guardrails
import Heartbeat

/// A container at one moment, for tools; read without any lock on the node.
public struct Snapshot: Sendable {
  public var directory: String
  /// Any process has the container open. False for a copy, and for an unused container.
  public var isLive: Bool
  /// The processes that have its database open.
  public var users: [Int32]
  public var schemaVersion: Int64
  public var container: ContainerID?
  public var meta: [Row]
  /// From the oldest to the newest, which is the owner.
  public var claims: [ClaimRecord]
  /// There are older claims.
  public var hasOlderClaims: Bool
  public var writes: NodeWrites
  public var appBeat: Beat?
  public var extensionBeat: Beat?
  /// The heartbeat file exists; opening a container creates it.
  public var hasHeartbeat: Bool
  /// The roles whose heartbeat slot is not a valid beat.
  public var damagedBeats: [Role]
  public var appLock: LockFacts
  public var extensionLock: LockFacts
  public var appIntent: LockFacts
  /// The process inside a write transaction right now.
  public var writer: BlockedBy?
  /// Every table, including the wallet's, and the results of queries.
  public var tables: [TableContents]
  /// Unreadable parts; the rest is complete.
  public var problems: [ContainerError]
  /// Whether every page of the database was checked.
  public var hasCheckedPages: Bool
  /// The cost of reading, in SQLite's virtual machine steps.
  public var steps: Int64

  public var owner: ClaimRow? { claims.last?.row }
  public var appWantsNode: Bool { !appIntent.holders.isEmpty }
  public func lock(of role: Role) -> LockFacts { role == .app ? appLock : extensionLock }
  public func beat(of role: Role) -> Beat? { role == .app ? appBeat : extensionBeat }

  /// Reads the container at the directory: a live one through SQLite alone, in one short read transaction; otherwise
  /// from a scratch copy, so that no file is created beside it and its log is applied.
  public static func take(
    of directory: String, depth: SnapshotDepth = SnapshotDepth(), queries: [SnapshotQuery] = []
  ) throws(ContainerError) -> Snapshot {
    try SnapshotTaker(layout: ContainerLayout(directory: directory), depth: depth, queries: queries).take()
  }

  /// The process inside a write transaction right now, also while it recovers the log and no snapshot can be taken.
  public static func writer(of directory: String) -> BlockedBy? {
    BlockedBy.find(in: ContainerLayout(directory: directory))
  }
}
