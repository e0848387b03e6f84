// SharedContainer: the App Group directory that two processes share, and what guards the node in it: role locks,
// the claim, fenced writes, the heartbeat file and the snapshot for tools. It answers what is so and carries out
// what it is told, at once and without waiting; who may claim when is decided in Guardrails.

import Ground
import Database
import Guardrails
import Heartbeat
import Platform

/// One process's view of a container, in one role. Used by one thread.
public final class SharedContainer {
  public let layout: ContainerLayout
  public let role: Role
  public let id: ContainerID
  /// The lock of this process's own role.
  public let roleLock: RoleLock
  /// The intent for the node; only the app takes it.
  let intentLock: IntentLock
  let otherRoleLock: RoleLock
  let heartbeatFile: HeartbeatFile
  let connection: Connection
  private var openFiles: OpenFiles
  /// Whether something was committed that lies in the log alone, as far as this process knows.
  var isUnsettled = false

  /// Opens the container, creating it if it is missing, with the wallet's schema steps after its own.
  ///
  /// Called first in a process: the locks must get the lowest descriptors. It waits, bounded, only while another
  /// process creates the same container; a container whose schema is there opens even beside a stopped writer.
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

    try EarlierLife(of: layout).refuseLostDatabase()
    try layout.createDatabase()
    openFiles = try OpenFiles(layout)
    connection = try Self.connect(layout, nodeSchema: nodeSchema)
    let claims = ClaimTable(connection: connection)
    guard try claims.areThere() else {
      throw ContainerError.notAContainer(path: layout.directory, because: "as its database has no claims")
    }
    guard let id = try claims.containerID() else {
      throw ContainerError.corrupt(path: layout.database, because: "it has lost the container's id")
    }
    self.id = id
    connection.setBusyTimeout(milliseconds: 0)
    try openFiles.addLogAndIndex()
    try checkIdentity()
  }

  private static func connect(_ layout: ContainerLayout, nodeSchema: [String]) throws -> Connection {
    // Two processes that create one database meet locks that SQLite does not wait for (the change to WAL).
    var triesLeft = 20
    while true {
      do {
        let connection = try Connection(path: layout.database, access: .readWrite, busyTimeoutMs: 100)
        try connection.migrate(steps: ContainerSchema.steps + nodeSchema) { before in
          guard before == 0 else { return }
          try EarlierLife(of: layout).refuseNewDatabase()
          try ClaimTable(connection: connection).insert(Randomness.containerID())
        }
        // The id does not lie in the log alone: whoever loses the log is an old copy, which the peer heals, and not
        // another device, which the peer keeps out.
        try? connection.checkpoint()
        return connection
      } catch let error as DatabaseError where error.kind == .busy && triesLeft > 0 {
        triesLeft -= 1
        // Somebody inside a transaction who is stopped will not finish by waiting.
        if BlockedBy.find(in: layout)?.isStopped == true { throw error }
        Kernel.pause(milliseconds: 5)
      }
    }
  }

  /// Throws when this process no longer has the container that lies at its path.
  func checkIdentity() throws(ContainerError) { try openFiles.check() }

  /// Brings what was committed from the log into the database, as far as nobody else reads: from then on it bears the
  /// loss of the log. For moments in which nobody waits. Nothing depends on its success.
  public func settle() {
    guard isUnsettled, (try? checkIdentity()) != nil else { return }
    isUnsettled = (try? connection.checkpoint()) == nil
  }

  /// What was acknowledged into a log that has lost its name is saved while this process still has it open. Another
  /// process that makes a new log meanwhile would have to claim beside us to write into it.
  func rescueLog() {
    if openFiles.lacksOnlyTheLog() { try? connection.checkpoint() }
  }

  /// The number of the schema with these steps of the wallet.
  public static func schemaVersion(nodeSchema: [String]) -> Int64 {
    Int64(ContainerSchema.steps.count + nodeSchema.count)
  }

  /// A random number for one claim.
  public static func newIncarnation() throws(ContainerError) -> UInt64 { try Randomness.number() }

  // MARK: Intent

  /// Says, or no longer says, that the app wants the node. The kernel takes the intent back when the app dies.
  public func setIntent(_ wantsNode: Bool) -> LockTry {
    guard role == .app else { return .damaged(.intentIsTheAppsOnly) }
    if wantsNode { return intentLock.tryTake() }
    intentLock.drop()
    return .taken
  }

  // MARK: Beats

  public func write(_ beat: Beat) -> BeatWrite { heartbeatFile.write(beat) }

  /// Takes the role lock anew if its file was removed or replaced under it; with each beat, so that an owner whose
  /// lock file somebody tidied away looks dead no longer than that.
  public func keepRoleLock() -> LockTry { roleLock.tryTake() }
}
