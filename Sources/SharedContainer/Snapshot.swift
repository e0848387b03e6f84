import Ground
import Database
import Guardrails
import Heartbeat

/// A container as it was at one moment, for tools: read without any lock of its own on the node.
public struct Snapshot: Sendable {
  public var directory: String
  /// Some process has the container open. False for a copy, and for a container at rest.
  public var isLive: Bool
  /// The processes that have its database open.
  public var users: [Int32]
  public var schemaVersion: Int64
  public var container: ContainerID?
  public var meta: [Row]
  /// From the oldest to the newest, which is the owner.
  public var claims: [ClaimRecord]
  /// There are claims before these.
  public var hasOlderClaims: Bool
  public var writes: NodeWrites
  public var appBeat: Beat?
  public var extensionBeat: Beat?
  /// The heartbeat is there at all; who opens a container makes it.
  public var hasHeartbeat: Bool
  /// Whose slots of the heartbeat hold something, and no beat.
  public var damagedBeats: [Role]
  public var appLock: LockFacts
  public var extensionLock: LockFacts
  public var appIntent: LockFacts
  /// The process inside a write transaction right now.
  public var writer: BlockedBy?
  /// Every table, those of the wallet too, and the answers to queries.
  public var tables: [TableContents]
  /// What could not be read, in sentences; the rest is there.
  public var problems: [String]
  /// Whether each page of the database was looked at.
  public var hasCheckedPages: Bool
  /// What the reading cost, in steps of SQLite's machine.
  public var steps: Int64

  public var owner: ClaimRow? { claims.last?.row }
  public var appWantsNode: Bool { !appIntent.holders.isEmpty }
  public func lock(of role: Role) -> LockFacts { role == .app ? appLock : extensionLock }
  public func beat(of role: Role) -> Beat? { role == .app ? appBeat : extensionBeat }

  /// Reads the container at the directory: a live one through SQLite alone, in one short read transaction; a copy
  /// by copying it to a scratch place first, so that nothing appears beside it and its log is honoured.
  public static func take(
    of directory: String, depth: SnapshotDepth = SnapshotDepth(), queries: [SnapshotQuery] = []
  ) throws(ContainerError) -> Snapshot {
    try SnapshotTaker(layout: ContainerLayout(directory: directory), depth: depth, queries: queries).take()
  }
}
