// SharedContainer: the App Group directory that two processes share, and the node's guards in it: role locks, the
// claim, fenced writes, the heartbeat file, and the snapshot for tools. It reads and writes at once and never waits;
// Guardrails decides which process may claim when.

import Ground
import Platform
import Guardrails
import Heartbeat

/// One process's access to a container, in one role. For one thread.
public final class SharedContainer {
  public let layout: ContainerLayout
  public let role: Role
  public let id: ContainerID
  /// The lock of this process's own role.
  public let roleLock: RoleLock
  /// The intent lock; only the app takes it.
  let intentLock: IntentLock
  let otherRoleLock: RoleLock
  let heartbeatFile: HeartbeatFile
  let connection: Connection
  private var openFiles: OpenFiles
  /// Whether a commit is only in the log, as far as this process knows.
  var isUnsettled = false

  /// Opens the container, creating it if it is missing, with the wallet's schema steps after its own.
  ///
  /// Called first in a process: the locks must get the lowest descriptors. Waits, with a limit, only while another
  /// process creates the same container; an existing container opens even during a stopped writer's transaction.
  public static func open(
    _ directory: String, role: Role, nodeSchema: [String] = []
  ) throws(ContainerError) -> SharedContainer {
    let layout = ContainerLayout(directory: directory)
    try layout.create()
    do {
      return try SharedContainer(layout: layout, role: role, nodeSchema: nodeSchema)
    } catch {
      let translated = ContainerError(error, path: layout.database)
      if case .blocked(let path, nil) = translated {
        throw .blocked(path: path, by: BlockedBy.find(in: layout))
      }
      throw translated
    }
  }

  private init(layout: ContainerLayout, role: Role, nodeSchema: [String]) throws {
    self.layout = layout
    self.role = role
    roleLock = RoleLock(path: layout.roleLock(of: role))
    otherRoleLock = RoleLock(path: layout.roleLock(of: role.other))
    intentLock = IntentLock(path: layout.appIntent)
    heartbeatFile = HeartbeatFile(path: layout.heartbeat)
    try roleLock.open()
    if role == .app { try intentLock.open() }

    try EarlierUse(of: layout).refuseLostDatabase()
    try layout.createDatabase()
    openFiles = try OpenFiles(layout)
    connection = try Self.connect(layout, nodeSchema: nodeSchema)
    let claims = ClaimTable(connection: connection)
    guard try claims.areThere() else {
      throw ContainerError.notAContainer(
        path: layout.directory, because: "as its database lacks the table meta, claims or node_writes")
    }
    guard let id = try claims.containerID() else {
      throw ContainerError.corrupt(path: layout.database, because: "the container's id is missing")
    }
    self.id = id
    connection.setBusyTimeout(milliseconds: 0)
    try openFiles.addLogAndIndex()
    try checkIdentity()
  }

  /// SQLite's default.
  private static var pageSize: Int64 { 4096 }

  /// The pages in the log from which on a commit checkpoints it. A start reads the whole log: with SQLite's 1,000 pages
  /// that took longer than the checkpoint that a start no longer makes.
  private static var logPagesMax: Int { 64 }

  private static func connect(_ layout: ContainerLayout, nodeSchema: [String]) throws -> Connection {
    // Two processes creating one database meet locks that SQLite does not wait for (the change to WAL).
    var triesLeft = 20
    while true {
      do {
        let connection = try Connection(path: layout.database, access: .readWrite, busyTimeoutMs: 100)
        try connection.execute("PRAGMA wal_autocheckpoint = \(logPagesMax)")
        try connection.migrate(steps: ContainerSchema.steps + nodeSchema) { before in
          guard before == 0 else { return }
          try EarlierUse(of: layout).refuseNewDatabase()
          try ClaimTable(connection: connection).insert(Randomness.containerID())
        }
        // The id must not be in the log alone: without the log the container is then an old copy, which the peer's
        // backup heals, and not another device, which the peer refuses. A database that was never checkpointed has one
        // page. Later starts do not wait for the three syncs.
        if try layout.databaseFacts().size <= Self.pageSize { _ = try? connection.checkpoint() }
        return connection
      } catch let error as DatabaseError where error.kind == .busy && triesLeft > 0 {
        triesLeft -= 1
        // A stopped process inside a transaction does not finish while we wait.
        if BlockedBy.find(in: layout)?.isStopped == true { throw error }
        Kernel.pause(milliseconds: 5)
      }
    }
  }

  /// Throws if the files that this process has open are no longer those at the container's path.
  func checkIdentity() throws(ContainerError) { try openFiles.check() }

  /// Checkpoints the log as far as no reader prevents it: from then on the database survives the loss of its log. For
  /// idle moments. Nothing depends on its success.
  public func settle() {
    guard isUnsettled, (try? checkIdentity()) != nil else { return }
    isUnsettled = (try? connection.checkpoint()) != true
  }

  /// Saves commits from a log that was unlinked while this process has it open. Another process that creates a new log
  /// meanwhile would first have to claim before it could write.
  func rescueLog() {
    if openFiles.lacksOnlyTheLog() { _ = try? connection.checkpoint() }
  }

  /// The schema version with these steps of the wallet.
  public static func schemaVersion(nodeSchema: [String]) -> Int64 {
    Int64(ContainerSchema.steps.count + nodeSchema.count)
  }

  /// A random number for one claim.
  public static func newIncarnation() throws(ContainerError) -> UInt64 { try Randomness.number() }

  // MARK: Intent

  /// Raises or withdraws the app's intent. The kernel drops the intent lock when the app dies.
  public func setIntent(_ wantsNode: Bool) -> LockTry {
    guard role == .app else { return .damaged(.intentIsTheAppsOnly) }
    if wantsNode { return intentLock.tryTake() }
    intentLock.drop()
    return .taken
  }

  // MARK: Beats

  public func write(_ beat: Beat) -> BeatWrite { heartbeatFile.write(beat) }

  /// Takes the role lock again if its file was removed or replaced; called with each beat, so that the owner looks
  /// dead for at most one beat.
  public func keepRoleLock() -> LockTry { roleLock.tryTake() }
}
